/** What all sessions cost: where money, tokens and time went, in a range that the user chooses. */
import { money, plural, tokens } from "@tau/utils/portable";
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { Loading } from "../panels/loading.tsx";
import { useLoaded } from "../panels/use-loaded.ts";
import { Icon } from "../parts/icon.tsx";
import { ListButtons } from "../shell/list-buttons.tsx";
import { goTo, usualRange } from "../store/route.ts";
import { attempt } from "../store/toasts.ts";
import { Chart } from "./chart.tsx";
import { count, duration, paidText, percent, tokenCount } from "./figures.ts";
import { HeatMap } from "./heat-map.tsx";
import { costColumns, tokenColumns } from "./series.ts";
import { SessionList } from "./session-list.tsx";
import { Tables } from "./tables.tsx";
import { loadUsage, saveCsv, syncUsage, tables, type TableName, type Usage } from "./usage-data.ts";

const ranges: Readonly<Record<string, string>> = {
	"24h": "24 hours",
	"7d": "7 days",
	[usualRange]: "30 days",
	"90d": "90 days",
	all: "All time",
};

export function UsageScreen({ range }: { range: string }): JSX.Element {
	const [scan, setScan] = useState<"running" | "done" | "failed">("running");
	const loaded = useLoaded(() => loadUsage(range), [range, scan]);
	// What is known is shown at once, and again with what is new.
	useEffect(() => {
		const left = new AbortController();
		syncUsage(left.signal).then(
			() => setScan("done"),
			() => !left.signal.aborted && setScan("failed"),
		);
		return () => left.abort();
	}, []);
	return (
		<main class="usage-screen" aria-busy={loaded.data === undefined}>
			<header class="bar">
				<ListButtons />
				<div class="bar-title">
					<h1>Statistics</h1>
					<p class="bar-facts" role="status">
						{scan === "running" && "Reading what is new…"}
						{scan === "failed" && "New sessions could not be read; this is what was known before."}
						{scan === "done" && "All sessions of this machine"}
					</p>
				</div>
				<a class="link" href="#/gateway" title="Keys of the gateway, and what they have used">
					Gateway
				</a>
				<CsvMenu range={range} />
			</header>
			<div class="usage-body" tabIndex={0} role="group" aria-label="Usage">
				<RangeSwitch range={range} />
				<Loading from={loaded} />
				{loaded.data && <Views usage={loaded.data} />}
				{loaded.data && <SessionList scan={scan} />}
			</div>
		</main>
	);
}

function RangeSwitch({ range }: { range: string }): JSX.Element {
	const shown = range in ranges ? ranges : { [range]: `Since ${range}`, ...ranges };
	return (
		<div class="range-switch" role="group" aria-label="Range">
			{Object.entries(shown).map(([name, label]) => (
				<button
					key={name}
					type="button"
					aria-pressed={name === range}
					onClick={() => goTo({ name: "stats", range: name })}
				>
					{label}
				</button>
			))}
		</div>
	);
}

function CsvMenu({ range }: { range: string }): JSX.Element {
	return (
		<label class="csv-menu">
			<Icon name="download" />
			<span class="visually-hidden">Save a table as CSV</span>
			<select
				value=""
				onChange={(event) => {
					const by = event.currentTarget.value as TableName;
					event.currentTarget.value = "";
					void attempt(saveCsv(by, range));
				}}
			>
				<option value="" disabled>
					CSV
				</option>
				{tables.map((name) => (
					<option key={name} value={name}>
						by {name}
					</option>
				))}
			</select>
		</label>
	);
}

function Views({ usage }: { usage: Usage }): JSX.Element {
	const cost = useMemo(() => {
		const estimated = usage.byModel.filter(({ estimatedCost }) => estimatedCost > 0);
		return costColumns(usage.costSeries, new Set(estimated.map(({ model }) => model)));
	}, [usage]);
	const used = useMemo(() => tokenColumns(usage.timeSeries), [usage]);
	if (usage.overall.totalRequests === 0)
		return (
			<>
				<p class="usage-none muted">No usage in this time.</p>
				{usage.days.length > 0 && <HeatMap days={usage.days} />}
			</>
		);
	return (
		<>
			<Cards usage={usage} />
			<div class="usage-pair">
				<Chart title="Cost" columns={cost} format={money} />
				<Chart title="Tokens" columns={used} format={tokens} />
			</div>
			<HeatMap days={usage.days} />
			<Tables usage={usage} />
		</>
	);
}

function Cards({ usage: { overall, byAgentType } }: { usage: Usage }): JSX.Element {
	const { estimatedCost, unpricedRequests, avgTokensPerSecond } = overall;
	const agents = byAgentType.find(({ agentType }) => agentType === "subagent");
	const marks = [
		estimatedCost > 0 ? `${money(estimatedCost)} of it estimated: subscriptions paid` : "",
		unpricedRequests > 0 ? `${plural(unpricedRequests, "request")} without a price` : "",
	].filter(Boolean);
	return (
		<dl class="usage-cards">
			<Card
				name="Cost"
				value={paidText(overall)}
				about={marks.join("; ") || "by the prices of the providers"}
			/>
			<Card
				name="Requests"
				value={count(overall.totalRequests)}
				about={`${count(overall.failedRequests)} failed (${percent(overall.errorRate)})`}
			/>
			<Card
				name="Tokens"
				value={tokens(tokenCount(overall))}
				about={`${tokens(overall.totalInputTokens)} in, ${tokens(overall.totalOutputTokens)} out`}
			/>
			<Card
				name="From the cache"
				value={percent(overall.cacheRate)}
				about={`saved ${percent(overall.cacheSavings)}; misses cost ${money(overall.cacheMissCost)}`}
			/>
			<Card
				name="Tokens per second"
				value={avgTokensPerSecond === null ? "–" : avgTokensPerSecond.toFixed(1)}
				about={overall.avgTtft === null ? "" : `first token after ${duration(overall.avgTtft)}`}
			/>
			<Card
				name="Agents"
				value={agents ? paidText(agents) : money(0)}
				about={agents ? plural(agents.totalRequests, "request") : "none in this time"}
			/>
		</dl>
	);
}

function Card({ name, value, about }: { name: string; value: string; about: string }): JSX.Element {
	return (
		<div class="usage-card">
			<dt>{name}</dt>
			<dd class="usage-value">{value}</dd>
			<dd class="muted">{about}</dd>
		</div>
	);
}
