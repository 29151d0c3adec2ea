"""The share auction, rule by rule, on plain dictionaries [C 5.7, 6.3.3]."""

from fractions import Fraction


class Cluster:
    """Workstations shared by applications; every rule is one method, nothing is remembered between its lines."""

    def __init__(self, total, psi, *, require_gain):
        self.total, self.psi, self.require_gain = total, Fraction(psi), require_gain
        self.loaded = 0
        self.order = []
        self.levels, self.times, self.at = {}, {}, {}
        self.measured, self.attended, self.came_up_from = {}, {}, {}

    def free(self):
        return self.total - self.loaded - sum(self.levels[name][self.at[name]] for name in self.order)

    def allocation(self):
        return {name: self.levels[name][self.at[name]] for name in self.order}

    def arrive(self, name, levels, times):
        """Rule 1."""
        allowed = list(enumerate(levels))[:-1] or [(0, levels[0])]
        fitting = [level for level, workstations in allowed if workstations <= self.free()]
        if not fitting:
            return None
        self.order.append(name)
        self.levels[name], self.times[name], self.at[name] = levels, times, max(fitting)
        self.measured[name], self.attended[name], self.came_up_from[name] = {}, False, None
        return self.at[name]

    def depart(self, name):
        self.order.remove(name)

    def auction(self, order, exempt):
        """Rules 2 to 7; moves are (action, name, from, to, donor, donor from, donor to)."""
        names = [name for name in order if name in self.order]
        names += [name for name in self.order if name not in names]
        taking_part = [name for name in names if name not in exempt]
        for name in taking_part:
            self.measured[name][self.at[name]] = self.times[name][self.at[name]]
        moves = []
        left = taking_part
        left = self.rule_3(left, moves)
        left = self.rule_4(left, moves)
        left = self.rule_5(left, moves)
        self.rule_6(left, moves)
        for name in taking_part:
            self.attended[name] = True
        return moves

    def go(self, name, level):
        self.came_up_from[name] = self.at[name] if level > self.at[name] else None
        self.at[name] = level

    def rule_3(self, names, moves):
        staying = []
        for name in names:
            below, now = self.came_up_from[name], self.at[name]
            if below is not None and not self.measured[name][now] < self.measured[name][below]:
                moves.append((0, name, now, below, None, None, None))
                self.go(name, below)
            else:
                staying.append(name)
        return staying

    def rule_4(self, names, moves):
        gone = set()
        for name in names:
            if self.attended[name] or name in gone:
                continue
            now, sizes = self.at[name], self.levels[name]
            reachable = [level for level in range(now + 1, len(sizes)) if sizes[level] - sizes[now] <= self.free()]
            if reachable:
                moves.append((1, name, now, max(reachable), None, None, None))
                self.go(name, max(reachable))
                gone.add(name)
            elif now + 1 < len(sizes):
                others = [other for other in names if other != name and other not in gone]
                donor = self.donor(others, sizes[now + 1] - sizes[now] - self.free(), only_known=False)
                if donor:
                    _, other, lower = donor
                    moves.append((1, name, now, now + 1, other, self.at[other], lower))
                    self.go(other, lower)
                    self.go(name, now + 1)
                    gone |= {name, other}
        return [name for name in names if name not in gone]

    def donor(self, names, wanted, *, only_known):
        """Return the rank, name and new level of the first in rank of those that can free what is wanted."""
        ranked = []
        for place, name in enumerate(names):
            now, sizes, known = self.at[name], self.levels[name], self.measured[name]
            enough = [level for level in range(now) if sizes[now] - sizes[level] >= wanted]
            if not enough:
                continue
            lower = max(enough)
            if lower in known:
                ranked.append(((0, known[lower] / known[now], place), name, lower))
            elif not only_known:
                ranked.append(((1, self.potential(name), place), name, lower))
        return min(ranked, default=None)

    def potential(self, name):
        known, sizes, now = self.measured[name], self.levels[name], self.at[name]
        lowest = min(known)
        efficiency_now = 1 / known[now] / sizes[now]
        efficiency_lowest = 1 / known[lowest] / sizes[lowest]
        return efficiency_now / efficiency_lowest

    def rule_5(self, names, moves):
        bids = []
        for place, name in enumerate(names):
            now, known = self.at[name], self.measured[name]
            if now + 1 in known:
                bids.append((-known[now] / known[now + 1], place, name))
        if not bids:
            return names
        negative, _, name = min(bids)
        if self.require_gain and not -negative > 1:
            return names
        now, sizes = self.at[name], self.levels[name]
        wanted = sizes[now + 1] - sizes[now] - self.free()
        if wanted <= 0:
            moves.append((2, name, now, now + 1, None, None, None))
            self.go(name, now + 1)
            return [other for other in names if other != name]
        donor = self.donor([other for other in names if other != name], wanted, only_known=True)
        if not donor or not -negative > self.psi * donor[0][1]:
            return names
        _, other, lower = donor
        moves.append((2, name, now, now + 1, other, self.at[other], lower))
        self.go(other, lower)
        self.go(name, now + 1)
        return [one for one in names if one not in (name, other)]

    def rule_6(self, names, moves):
        bids = [
            (-self.potential(name), place, name)
            for place, name in enumerate(names)
            if self.at[name] + 1 < len(self.levels[name]) and self.at[name] + 1 not in self.measured[name]
        ]
        for _, _, name in sorted(bids):
            now, sizes = self.at[name], self.levels[name]
            if sizes[now + 1] - sizes[now] <= self.free():
                moves.append((3, name, now, now + 1, None, None, None))
                self.go(name, now + 1)
