"""Facts about gangs that their own objects do not state: priorities, templates, budgets, quotas."""
