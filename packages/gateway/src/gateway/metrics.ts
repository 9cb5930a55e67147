/** What the gateway counts of itself, as text for Prometheus. */
import type { ExchangeEnd } from "./attempts.ts";

const help: Readonly<Record<string, string>> = {
	requests_total: "Requests to models that have ended, by model and outcome.",
	tokens_total: "Tokens of ended requests, by model and kind.",
	cost_dollars_total: "What ended requests cost by the prices of their models.",
	first_seconds_sum: "Seconds until answers began.",
	first_seconds_count: "Answers that began.",
};

export class Metrics {
	/** By name and labels. Clients choose no label: the models are those of the gateway, so that there are few. */
	readonly #sums = new Map<string, Map<string, number>>();
	/** Requests to models that have not ended. */
	active = 0;

	ended(model: string, { usage, failure, firstMs }: ExchangeEnd): void {
		const name = `model="${model.replaceAll(/["\\\n]/g, "_")}"`;
		this.#add("requests_total", `${name},outcome="${failure?.kind ?? "ok"}"`, 1);
		for (const kind of ["input", "output", "cacheRead", "cacheWrite"] as const)
			if (usage[kind] > 0) this.#add("tokens_total", `${name},kind="${kind}"`, usage[kind]);
		if (usage.cost.total > 0) this.#add("cost_dollars_total", name, usage.cost.total);
		this.#add("first_seconds_sum", name, firstMs / 1000);
		this.#add("first_seconds_count", name, 1);
	}

	text(): string {
		const lines = [
			"# HELP tau_gateway_active Requests to models that have not ended.",
			"# TYPE tau_gateway_active gauge",
		];
		lines.push(`tau_gateway_active ${this.active}`);
		for (const [name, sums] of this.#sums) {
			lines.push(`# HELP tau_gateway_${name} ${help[name] ?? ""}`, `# TYPE tau_gateway_${name} counter`);
			for (const [labels, sum] of sums) lines.push(`tau_gateway_${name}{${labels}} ${sum}`);
		}
		return `${lines.join("\n")}\n`;
	}

	#add(name: string, labels: string, amount: number): void {
		const sums = this.#sums.getOrInsertComputed(name, () => new Map());
		sums.set(labels, (sums.get(labels) ?? 0) + amount);
	}
}
