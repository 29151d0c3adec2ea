"""What is observed of gangs beside their own objects: priorities, templates, budgets, quotas."""
