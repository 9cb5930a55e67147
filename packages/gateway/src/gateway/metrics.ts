/** What the gateway counts of itself, as text for Prometheus. */
import type { ExchangeEnd } from "./attempts.ts";

const kinds = ["input", "output", "cacheRead", "cacheWrite"] as const;

/** What the requests to a model have used together. */
interface Sums extends Record<(typeof kinds)[number], number> {
	outcomes: Map<string, number>;
	cost: number;
	firstMs: number;
}

interface Counter {
	name: string;
	help: string;
	/** By labels beside that of the model. */
	values(sums: Sums): readonly (readonly [labels: string, value: number])[];
}

const counters: readonly Counter[] = [
	{
		name: "requests_total",
		help: "Requests to models that have ended, by model and outcome.",
		values: ({ outcomes }) => [...outcomes].map(([outcome, count]) => [`,outcome="${outcome}"`, count]),
	},
	{
		name: "tokens_total",
		help: "Tokens of ended requests, by model and kind.",
		values: (sums) => kinds.map((kind) => [`,kind="${kind}"`, sums[kind]]),
	},
	{
		name: "cost_dollars_total",
		help: "What ended requests cost by the prices of their models.",
		values: ({ cost }) => [["", cost]],
	},
	{
		name: "first_seconds_sum",
		help: "Seconds until answers began.",
		values: ({ firstMs }) => [["", firstMs / 1000]],
	},
	{
		name: "first_seconds_count",
		help: "Answers that began.",
		values: ({ outcomes }) => [["", outcomes.values().reduce((sum, count) => sum + count, 0)]],
	},
];

export class Metrics {
	/** Clients choose no name: the models are those of the gateway, so that there are few. */
	readonly #models = new Map<string, Sums>();
	/** Requests to models that have not ended. */
	active = 0;

	/** Only adds, as it is part of each request; the text is written when somebody reads it. */
	ended(model: string, { usage, failure, firstMs }: ExchangeEnd): void {
		const sums = this.#models.getOrInsertComputed(model, noSums);
		const outcome = failure?.kind ?? "ok";
		sums.outcomes.set(outcome, (sums.outcomes.get(outcome) ?? 0) + 1);
		for (const kind of kinds) sums[kind] += usage[kind];
		sums.cost += usage.cost.total;
		sums.firstMs += firstMs;
	}

	text(): string {
		const lines = [
			"# HELP tau_gateway_active Requests to models that have not ended.",
			"# TYPE tau_gateway_active gauge",
			`tau_gateway_active ${this.active}`,
		];
		for (const { name, help, values } of counters) {
			lines.push(`# HELP tau_gateway_${name} ${help}`, `# TYPE tau_gateway_${name} counter`);
			for (const [model, sums] of this.#models)
				for (const [labels, value] of values(sums))
					lines.push(`tau_gateway_${name}{model="${model.replaceAll(/["\\\n]/g, "_")}"${labels}} ${value}`);
		}
		return `${lines.join("\n")}\n`;
	}
}

function noSums(): Sums {
	return { outcomes: new Map(), input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, firstMs: 0 };
}
