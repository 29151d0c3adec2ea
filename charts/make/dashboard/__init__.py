"""The dashboard, as code: charts/lockstep/files/dashboard.json is written from here."""
