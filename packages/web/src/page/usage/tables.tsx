/** Where it went: models, projects, tools, providers, and what failed. */
import { tokens } from "@tau/utils/portable";
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import plotStyles from "uplot/dist/uPlot.min.css" with { type: "text" };

import { limits } from "../limits.ts";
import { baseName } from "../shell/screens.tsx";
import styles from "../styles/usage.css" with { type: "text" };
import { clockText, costText, count, duration, marked, percent, timeText, tokenCount } from "./figures.ts";
import type { Block, Sums, Usage } from "./usage-data.ts";

// The styles of these screens come with the first of them: they would be a fiftieth of what every page loads.
const sheet = new CSSStyleSheet();
sheet.replaceSync(plotStyles + styles);
document.adoptedStyleSheets.push(sheet);

interface Column<R> {
	readonly name: string;
	readonly cell: (row: R) => ComponentChildren;
	/** Words stand at the left, figures at the right. */
	readonly isText?: boolean;
}

interface TableProps<R> {
	title: string;
	rows: readonly R[];
	columns: readonly Column<R>[];
	keyOf: (row: R) => string;
	/** Of the whole, what a bar behind the name shows. */
	shareOf?: (row: R) => number;
	/** A phone shows each row as a card: what can be done to it is not out of sight behind all columns. */
	hasActions?: boolean;
}

export function Table<R>(props: TableProps<R>): JSX.Element {
	const { title, rows, columns, keyOf, shareOf, hasActions = false } = props;
	const [isWhole, setWhole] = useState(false);
	const shown = isWhole ? rows : rows.slice(0, limits.usageRows);
	const [first, ...rest] = columns;
	return (
		<section class="usage-card" aria-label={title}>
			<h2>{title}</h2>
			{rows.length === 0 && <p class="muted">Nothing in this time.</p>}
			{rows.length > 0 && (
				<div class="usage-scroll" tabIndex={0} role="group" aria-label={`${title}, table`}>
					<table class={hasActions ? "with-actions" : ""}>
						<thead>
							<tr>
								{columns.map(({ name, isText }) => (
									<th key={name} scope="col" class={isText ? "words" : ""}>
										{name}
									</th>
								))}
							</tr>
						</thead>
						<tbody>
							{shown.map((row) => (
								<tr key={keyOf(row)}>
									<th scope="row">
										{first?.cell(row)}
										{shareOf && <progress class="share" max={1} value={shareOf(row)} aria-hidden="true" />}
									</th>
									{rest.map(({ name, cell, isText }) => (
										<td key={name} class={isText ? "words" : ""} data-name={name}>
											{cell(row)}
										</td>
									))}
								</tr>
							))}
						</tbody>
					</table>
				</div>
			)}
			{rows.length > limits.usageRows && (
				<button type="button" class="link" onClick={() => setWhole(!isWhole)}>
					{isWhole ? "Show less" : `Show all ${rows.length}`}
				</button>
			)}
		</section>
	);
}

const sumColumns: readonly Column<Sums>[] = [
	{ name: "Cost", cell: costText },
	{ name: "Requests", cell: ({ totalRequests }) => count(totalRequests) },
	{ name: "Tokens", cell: (row) => tokens(tokenCount(row)) },
	{ name: "Cached", cell: ({ cacheRate }) => percent(cacheRate) },
	{ name: "Failed", cell: ({ errorRate }) => percent(errorRate) },
];

export function Tables({ usage }: { usage: Usage }): JSX.Element {
	const all = usage.overall.totalCost;
	const shareOf = ({ totalCost }: Sums): number => (all > 0 ? totalCost / all : 0);
	return (
		<>
			<Table
				title="Models"
				rows={usage.byModel}
				keyOf={({ provider, model }) => `${provider}/${model}`}
				shareOf={shareOf}
				columns={[
					{
						name: "Model",
						isText: true,
						cell: ({ provider, model }) => <Named name={model} about={provider} />,
					},
					...sumColumns,
					{
						name: "Tokens/s",
						cell: ({ avgTokensPerSecond: speed }) => (speed === null ? "–" : speed.toFixed(1)),
					},
					{ name: "First token", cell: ({ avgTtft }) => duration(avgTtft) },
				]}
			/>
			<Table
				title="Projects"
				rows={usage.byFolder}
				keyOf={({ folder }) => folder}
				shareOf={shareOf}
				columns={[
					{
						name: "Project",
						isText: true,
						cell: ({ folder }) => <Named name={baseName(folder) || "unknown"} about={folder} />,
					},
					...sumColumns,
				]}
			/>
			<Providers usage={usage} />
			<Subscriptions usage={usage} />
			<ToolTable usage={usage} />
			<Errors usage={usage} />
		</>
	);
}

/** With the window of five hours that is open now, as subscriptions count. */
function Providers({ usage }: { usage: Usage }): JSX.Element {
	const active = new Map(
		usage.blocks.filter(({ isActive }) => isActive).map((block) => [block.provider, block]),
	);
	return (
		<Table
			title="Providers"
			rows={usage.providers}
			keyOf={({ provider }) => provider}
			columns={[
				{ name: "Provider", isText: true, cell: ({ provider }) => provider },
				...sumColumns,
				{ name: "5 hours now", cell: (row) => blockText(active.get(row.provider), row.estimatedCost > 0) },
			]}
		/>
	);
}

function blockText(block: Block | undefined, isEstimate: boolean): string {
	if (!block?.burnRate) return "–";
	const now = `${marked(block.cost, isEstimate)}, ${marked(block.burnRate.costPerHour, isEstimate)}/h`;
	return `${now}, ${marked(block.projected?.cost ?? block.cost, isEstimate)} by ${clockText(block.end)}`;
}

/** What is left of each window, for the logins whose vendors say so. */
function Subscriptions({ usage: { windows } }: { usage: Usage }): JSX.Element | null {
	if (windows.length === 0) return null;
	return (
		<Table
			title="Subscriptions"
			rows={windows}
			keyOf={({ provider, name }) => `${provider}/${name}`}
			columns={[
				{
					name: "Provider",
					isText: true,
					cell: ({ provider, plan }) => <Named name={provider} about={plan ?? provider} />,
				},
				{ name: "Window", isText: true, cell: ({ name }) => name },
				{
					name: "Left",
					cell: ({ usedPercent }) => {
						const left = Math.max(0, 100 - usedPercent);
						return (
							<>
								<meter min={0} max={100} low={20} value={left} aria-hidden="true" /> {Math.round(left)} %
							</>
						);
					},
				},
				{
					name: "Resets",
					isText: true,
					cell: ({ resetsAt }) => (resetsAt === undefined ? "–" : timeText(resetsAt, true)),
				},
			]}
		/>
	);
}

function ToolTable({ usage }: { usage: Usage }): JSX.Element {
	return (
		<Table
			title="Tools"
			rows={usage.tools}
			keyOf={({ tool }) => tool}
			columns={[
				{ name: "Tool", isText: true, cell: ({ tool }) => <code>{tool}</code> },
				{ name: "Calls", cell: ({ calls }) => count(calls) },
				{ name: "Failed", cell: ({ errorRate }) => percent(errorRate) },
				{ name: "Average", cell: ({ avgDuration }) => duration(avgDuration) },
				{ name: "In all", cell: ({ totalDuration }) => duration(totalDuration) },
			]}
		/>
	);
}

function Errors({ usage }: { usage: Usage }): JSX.Element {
	return (
		<Table
			title="Errors"
			rows={usage.errors}
			keyOf={({ id }) => id}
			columns={[
				{ name: "When", isText: true, cell: ({ timestamp }) => timeText(timestamp, true) },
				{ name: "Model", isText: true, cell: ({ model }) => model },
				{ name: "Project", isText: true, cell: ({ folder }) => baseName(folder) },
				{
					name: "Reason",
					isText: true,
					cell: ({ failure, errorMessage }) => <span class="reason">{reasonOf(failure, errorMessage)}</span>,
				},
			]}
		/>
	);
}

export function Named({ name, about }: { name: string; about: string }): JSX.Element {
	return (
		<span class="named" title={about}>
			{name} <span class="muted">{about === name ? "" : about}</span>
		</span>
	);
}

/** The kind of a failure, and what the provider said; of an unknown kind, only that. */
function reasonOf(failure: string, message: string | null): string {
	if (!message) return failure;
	return failure === "unknown" ? message : `${failure}: ${message}`;
}
