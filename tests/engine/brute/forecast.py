"""The load forecast of [C 5.5.1], equation by equation, by recursion over days."""

from fractions import Fraction


class Series:
    """Loads of past days and of today's hours; days count from 0, today is the last."""

    def __init__(self, past_days, today, smoothing):
        self.days = [*past_days, today]
        self.d = len(past_days)
        self.h = len(today)
        self.a, self.b, self.c = smoothing

    def z(self, day, hour):
        """(5.1); the first day has nothing before it and stands for itself."""
        if day == 0:
            return self.days[0][hour]
        return self.a * self.z(day - 1, hour) + (1 - self.a) * self.days[day - 1][hour]

    def y_ahead(self, i):
        """(5.2)."""
        before = self.days[self.d][self.h - 1] if self.h > 0 else self.days[self.d - 1][23]
        day, hour = self.d + (self.h + i) // 24, (self.h + i) % 24
        weight = Fraction(1)
        for _ in range(i + 1):
            weight *= self.b
        return weight * before + (1 - weight) * self.z(day, hour)

    def y_now(self, current):
        """(5.3)."""
        return self.c * self.y_ahead(0) + (1 - self.c) * current
