/** The days of the last year, a column for each week: the darker, the more was spent. */
import { plural, tokens } from "@tau/utils/portable";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { marked } from "./figures.ts";
import { weeksShown, type Day } from "./usage-data.ts";

const levels = 4;

interface Cell {
	readonly key: string;
	readonly level: number;
	readonly title: string;
}

export function HeatMap({ days }: { days: readonly Day[] }): JSX.Element {
	const scroller = useRef<HTMLDivElement>(null);
	// Today is at the end, which a narrow screen would not show.
	useEffect(() => scroller.current?.scrollTo({ left: scroller.current.scrollWidth }), []);
	const cells = cellsOf(days, new Date());
	const used = plural(days.length, "day");
	return (
		<section class="usage-card" aria-label="Days">
			<header>
				<h2>Days</h2>
				<p class="muted">{used} with usage in the last year</p>
			</header>
			<div class="heat-scroll" ref={scroller} tabIndex={0} role="group" aria-label="Days of the last year">
				<div class="heat-map" role="img" aria-label={`${used} with usage`}>
					{cells.map(({ key, level, title }) => (
						<span key={key} class={`heat heat-${level}`} title={title} data-day={key} />
					))}
				</div>
			</div>
		</section>
	);
}

/** From a Sunday to today. Days whose models have no price are measured by nothing but that they were used. */
function cellsOf(days: readonly Day[], today: Date): Cell[] {
	const byName = new Map(days.map((day) => [day.day, day]));
	const most = Math.max(...days.map(({ cost }) => cost), 0);
	const cells: Cell[] = [];
	const last = 7 * (weeksShown - 1) + today.getDay();
	for (let back = last; back >= 0; back--) {
		const date = new Date(today.getFullYear(), today.getMonth(), today.getDate() - back);
		const key = nameOf(date);
		const day = byName.get(key);
		// The root keeps one expensive day from making all others look alike.
		const share = day && most > 0 ? Math.sqrt(day.cost / most) : 0;
		const level = day ? Math.max(1, Math.ceil(share * levels)) : 0;
		const about = day
			? `${marked(day.cost, day.estimatedCost > 0)}, ${plural(day.requests, "request")}, ${tokens(day.tokens)} tokens`
			: "nothing";
		cells.push({ key, level, title: `${key}: ${about}` });
	}
	return cells;
}

function nameOf(date: Date): string {
	const two = (value: number): string => String(value).padStart(2, "0");
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
