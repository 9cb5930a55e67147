/** Columns over time, drawn by uPlot; what is below the pointer is written above them. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

import { theme } from "../store/preferences.ts";
import { timeText } from "./figures.ts";
import { stacked, type Columns } from "./series.ts";

/** Variables of the style sheet, which differ by theme; the legend has the same order. */
const colors = ["--accent", "--info", "--good", "--wait", "--soft"] as const;
const height = 220;
/** Between labels of the time, in pixels and in columns. */
const labelPixels = 80;
const labelSteps = [1, 2, 3, 6, 7, 14, 28, 56, 91, 182, 364] as const;

interface ChartProps {
	title: string;
	columns: Columns;
	format: (value: number) => string;
}

export function Chart({ title, columns, format }: ChartProps): JSX.Element {
	const host = useRef<HTMLDivElement>(null);
	const [pointed, setPointed] = useState<number>();
	const isDark = useDarkSystem();
	const chosen = theme.value;
	useEffect(() => {
		const element = host.current;
		setPointed(undefined);
		if (!element || columns.parts.length === 0) return;
		const plot = draw(element, columns, format, setPointed);
		const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
		observer.observe(element);
		return () => {
			observer.disconnect();
			plot.destroy();
		};
	}, [columns, chosen, isDark]);
	const time = pointed === undefined ? undefined : columns.times[pointed];
	const valueOf = (values: readonly number[]): number =>
		pointed === undefined ? sum(values) : (values[pointed] ?? 0);
	const mark = columns.parts.some(({ isEstimate }) => isEstimate) ? "~" : "";
	const all = sum(columns.parts.map(({ values }) => valueOf(values)));
	// Nothing has a price.
	const whole = columns.parts.length === 0 ? "N/A" : `${mark}${format(all)}`;
	return (
		<section class="usage-card usage-chart" aria-label={title}>
			<header>
				<h2>{title}</h2>
				<p class="muted">
					<strong>{whole}</strong> {time === undefined ? "in all" : timeText(time, columns.isHourly)}
				</p>
			</header>
			<div ref={host} class="usage-plot" role="img" aria-label={`${title}: ${whole}`} />
			{columns.parts.length > 1 && (
				<ul class="usage-legend">
					{columns.parts.map(({ name, values, isEstimate }, at) => (
						<li key={name}>
							<span class={`swatch swatch-${at}`} aria-hidden="true" />
							{name} <span class="muted">{`${isEstimate ? "~" : ""}${format(valueOf(values))}`}</span>
						</li>
					))}
				</ul>
			)}
		</section>
	);
}

function draw(
	element: HTMLElement,
	{ times, isHourly, parts }: Columns,
	format: (value: number) => string,
	onPointed: (column: number | undefined) => void,
): uPlot {
	const style = getComputedStyle(element);
	// A canvas knows neither variables nor light-dark(): the browser resolves them as the color of an element.
	const color = (name: string): string => {
		element.style.color = `var(${name})`;
		const resolved = style.color;
		element.style.color = "";
		return resolved;
	};
	const seconds = times.map((time) => time / 1000);
	const step = isHourly ? 3600 : 86_400;
	const bars = uPlot.paths.bars?.({ size: [0.72, 44], radius: 0.12 });
	const font = `11px ${style.getPropertyValue("--sans")}`;
	const series = parts.map((_, at): uPlot.Series => {
		const fill = color(colors[at] ?? "--soft");
		return { fill, width: 0, points: { show: false }, ...(bars ? { paths: bars } : {}) };
	});
	// The highest edge is drawn first, so that each lower part covers it.
	const options: uPlot.Options = {
		width: element.clientWidth,
		height,
		padding: [10, 12, 0, 0],
		series: [{}, ...series.toReversed()],
		legend: { show: false },
		cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
		scales: {
			// Its own ends: of a single column, the library makes a day from the beginning of all time.
			x: { range: [(seconds[0] ?? 0) - step / 2, (seconds.at(-1) ?? 0) + step / 2] },
			y: { range: (_, _min, max) => [0, max > 0 ? max * 1.06 : 1] },
		},
		axes: [
			{
				font,
				stroke: color("--faint"),
				grid: { show: false },
				ticks: { show: false },
				size: 28,
				space: labelPixels,
				// A label for each column at most.
				incrs: labelSteps.map((columns) => columns * step),
				values: (_, splits) => splits.map((split) => timeText(split * 1000, isHourly)),
			},
			{
				font,
				stroke: color("--faint"),
				grid: { stroke: color("--line"), width: 1 },
				ticks: { show: false },
				size: 56,
				values: (_, splits) => splits.map(format),
			},
		],
		hooks: { setCursor: [({ cursor }) => onPointed(cursor.idx ?? undefined)] },
	};
	return new uPlot(options, [seconds, ...stacked(parts).toReversed()], element);
}

/** The canvas has to be drawn again when the system changes its colors. */
function useDarkSystem(): boolean {
	const [query] = useState(() => matchMedia("(prefers-color-scheme: dark)"));
	const [isDark, setDark] = useState(query.matches);
	useEffect(() => {
		const follow = (): void => setDark(query.matches);
		query.addEventListener("change", follow);
		return () => query.removeEventListener("change", follow);
	}, [query]);
	return isDark;
}

function sum(values: readonly number[]): number {
	return values.reduce((all, value) => all + value, 0);
}
