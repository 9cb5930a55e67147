/** What a tool's own request to a model has used: it counts in the session's cost. */
import { addCost, builtinModels, noUsage, type Model, type Usage } from "@tau/ai";

export interface Paid {
	/** Names of the catalogue, which has the prices. */
	readonly provider: string;
	/** As the service names it: with a date behind it, or without. */
	readonly model: string;
	/** As the service reports them. */
	readonly input: number | undefined;
	readonly output: number | undefined;
	/** What the service says that all of it has cost; the prices of the catalogue are for those that do not. */
	readonly dollars?: number | undefined;
	/** What is charged beside tokens. */
	readonly fees?: number | undefined;
}

/** Undefined where the service reports nothing. */
export function paidUsage({ provider, model, input, output, dollars, fees }: Paid): Usage | undefined {
	const usage: Usage = { ...noUsage(), input: counted(input), output: counted(output) };
	if (usage.input + usage.output + counted(dollars) + counted(fees) === 0) return undefined;
	addCost(usage, dollars === undefined ? priceOf(provider, model) : free);
	usage.cost.total += counted(dollars) + counted(fees);
	return usage;
}

const free: Model["cost"] = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function priceOf(provider: string, model: string): Model["cost"] {
	const known = builtinModels(provider).filter(({ id }) => model === id || model.startsWith(`${id}-`));
	return known.toSorted((a, b) => b.id.length - a.id.length)[0]?.cost ?? free;
}

function counted(value: number | undefined): number {
	return value !== undefined && Number.isFinite(value) ? Math.max(0, value) : 0;
}
