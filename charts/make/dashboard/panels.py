"""The forms of panel that there are: a number, lines over time, and counts over the time that is shown."""

from typing import NamedTuple

from grafana_foundation_sdk.builders import bargauge, stat, timeseries
from grafana_foundation_sdk.builders.common import (
    ReduceDataOptions,
    StackingConfig,
    VizLegendOptions,
    VizTooltipOptions,
)
from grafana_foundation_sdk.builders.dashboard import FieldColor, ThresholdsConfig
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.models.common import (
    BarGaugeDisplayMode,
    BigValueColorMode,
    BigValueGraphMode,
    LegendDisplayMode,
    LegendPlacement,
    LineInterpolation,
    SortOrder,
    StackingMode,
    TooltipDisplayMode,
    VisibilityMode,
    VizOrientation,
)
from grafana_foundation_sdk.models.dashboard import (
    DataSourceRef,
    FieldColorModeId,
    Threshold,
    ThresholdsMode,
)
from grafana_foundation_sdk.models.units import NoUnit, Short

SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
# Of the grid's 24 columns, which are some 51 pixels each on a screen of 1280.
NUMBER_COLUMNS, NARROW_COLUMNS, GRAPH_COLUMNS, WIDE_COLUMNS = 4, 6, 8, 12
_NUMBER_ROWS, _GRAPH_ROWS = 4, 8
# What a panel says where its queries give nothing: a zero would look like a measured value.
_NOTHING = "none in this range"
# Named colours, which Grafana adapts to its light and its dark theme.
GOOD, FAIR, BAD = "green", "orange", "red"


Panel = stat.Panel | timeseries.Panel | bargauge.Panel


class Query(NamedTuple):
    """An expression, and how its series are called in the legend."""

    expression: str
    legend: str


class Step(NamedTuple):
    """From that value on the number has that colour; None is from the least."""

    value: float | None
    color: str


def number(
    title: str,
    description: str,
    query: Query,
    *,
    unit: str = NoUnit,
    steps: tuple[Step, ...],
    columns: int = NUMBER_COLUMNS,
) -> stat.Panel:
    """One number, and whether it is good."""
    return (
        stat.Panel()
        .title(title)
        .description(description)
        .datasource(SOURCE)
        .unit(unit)
        .decimals(0)
        .no_value(_NOTHING)
        .span(columns)
        .height(_NUMBER_ROWS)
        .thresholds(_thresholds(steps))
        .color_scheme(FieldColor().mode(FieldColorModeId.THRESHOLDS))
        .color_mode(BigValueColorMode.VALUE)
        .graph_mode(BigValueGraphMode.AREA)
        .reduce_options(ReduceDataOptions().calcs(["lastNotNull"]))
        .with_target(_target("A", query))
    )


def graph(title: str, description: str, *queries: Query, unit: str, columns: int = GRAPH_COLUMNS) -> timeseries.Panel:
    """Lines over time."""
    panel = (
        timeseries.Panel()
        .title(title)
        .description(description)
        .datasource(SOURCE)
        .unit(unit)
        .min(0)
        .no_value(_NOTHING)
        .span(columns)
        .height(_GRAPH_ROWS)
        .line_width(1)
        .fill_opacity(10)
        # A value between two gaps is a point, since it has no line.
        .show_points(VisibilityMode.AUTO)
        .color_scheme(FieldColor().mode(FieldColorModeId.PALETTE_CLASSIC))
        .legend(
            VizLegendOptions()
            .show_legend(True)  # noqa: FBT003 - the builder's own way
            .display_mode(LegendDisplayMode.LIST)
            .placement(LegendPlacement.BOTTOM)
        )
        .tooltip(VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING))
    )
    for name, query in zip("ABCDEFGH", queries, strict=False):
        panel = panel.with_target(_target(name, query))
    return panel


def stacked(panel: timeseries.Panel) -> timeseries.Panel:
    """The same lines, one on top of the other: their height together means something."""
    return (
        panel.stacking(StackingConfig().mode(StackingMode.NORMAL).group("A"))
        .fill_opacity(40)
        .line_interpolation(LineInterpolation.STEP_AFTER)
    )


def counts(
    title: str, description: str, *queries: Query, unit: str = Short, columns: int = GRAPH_COLUMNS
) -> bargauge.Panel:
    """How often something happened in the time that is shown: a bar for each that did."""
    panel = (
        bargauge.Panel()
        .title(title)
        .description(description)
        .datasource(SOURCE)
        .unit(unit)
        .decimals(0)
        .min(0)
        .no_value(_NOTHING)
        .span(columns)
        .height(_GRAPH_ROWS)
        .orientation(VizOrientation.HORIZONTAL)
        .display_mode(BarGaugeDisplayMode.BASIC)
        .color_scheme(FieldColor().mode(FieldColorModeId.PALETTE_CLASSIC))
        .reduce_options(ReduceDataOptions().calcs(["lastNotNull"]))
    )
    for name, query in zip("ABCDEFGH", queries, strict=False):
        panel = panel.with_target(_target(name, query).instant())
    return panel


def _target(name: str, query: Query) -> Dataquery:
    return Dataquery().ref_id(name).datasource(SOURCE).expr(query.expression).legend_format(query.legend).range()


def _thresholds(steps: tuple[Step, ...]) -> ThresholdsConfig:
    return (
        ThresholdsConfig()
        .mode(ThresholdsMode.ABSOLUTE)
        .steps([Threshold(value=one.value, color=one.color) for one in steps])
    )
