/** Makes the columns of a chart from points in time: hours or days without usage are empty columns. */
import type { CostPoint, TimePoint } from "./usage-data.ts";

export interface Columns {
	/** When each column begins, in milliseconds. */
	readonly times: readonly number[];
	readonly isHourly: boolean;
	/** From the lowest part of a column to its highest; each has a value for every time. */
	readonly parts: readonly Part[];
}

export interface Part {
	readonly name: string;
	readonly values: readonly number[];
	/** A subscription paid for some of it. */
	readonly isEstimate?: boolean;
}

/** Models of a chart by their names; the rest is one part. As many as there are colors. */
const namedModels = 4;
const hourMs = 3_600_000;

export function tokenColumns(points: readonly TimePoint[]): Columns {
	const { times, isHourly } = timesOf(points);
	return { times, isHourly, parts: [partOf("Tokens", times, points, ({ tokens }) => tokens)] };
}

/** By model, the most expensive ones first. Models without a price are in no column. */
export function costColumns(points: readonly CostPoint[], estimated: ReadonlySet<string>): Columns {
	const { times, isHourly } = timesOf(points);
	const models = [...Map.groupBy(points, ({ model }) => model)]
		.map(([name, own]) => ({ name, own, cost: own.reduce((sum, { cost }) => sum + cost, 0) }))
		.filter(({ cost }) => cost > 0)
		.toSorted((a, b) => b.cost - a.cost);
	const others = models.slice(namedModels).flatMap(({ own }) => own);
	const groups = [
		...models.slice(0, namedModels),
		...(others.length === 0 ? [] : [{ name: `${models.length - namedModels} others`, own: others }]),
	];
	const parts = groups.map(({ name, own }) => ({
		...partOf(name, times, own, ({ cost }) => cost),
		isEstimate: own.some(({ model }) => estimated.has(model)),
	}));
	return { times, isHourly, parts };
}

/** The upper edge of each part: what is drawn from the highest to the lowest, each over the one before. */
export function stacked(parts: readonly Part[]): number[][] {
	let below: readonly number[] = [];
	return parts.map(({ values }) => {
		const edge = values.map((value, at) => value + (below[at] ?? 0));
		below = edge;
		return edge;
	});
}

function partOf<P extends { timestamp: number }>(
	name: string,
	times: readonly number[],
	points: readonly P[],
	value: (point: P) => number,
): Part {
	const sums = new Map<number, number>();
	for (const point of points) sums.set(point.timestamp, (sums.get(point.timestamp) ?? 0) + value(point));
	return { name, values: times.map((time) => sums.get(time) ?? 0) };
}

/** The server divides short ranges by hours and others by days of the user. */
function timesOf(points: readonly { timestamp: number }[]): { times: number[]; isHourly: boolean } {
	const given = points.map(({ timestamp }) => timestamp).toSorted((a, b) => a - b);
	const [first, last] = [given[0], given.at(-1)];
	if (first === undefined || last === undefined) return { times: [], isHourly: false };
	const isHourly = last - first <= 49 * hourMs && given.some((time) => new Date(time).getHours() !== 0);
	const times = new Set(given);
	for (let time = first; time < last; time = next(time, isHourly)) times.add(time);
	return { times: [...times].toSorted((a, b) => a - b), isHourly };
}

/** A day has 23 or 25 hours when the clocks change. */
function next(time: number, isHourly: boolean): number {
	if (isHourly) return time + hourMs;
	const date = new Date(time);
	return date.setDate(date.getDate() + 1);
}
