/** Usage of the last weeks as sessions write it: with a subscription, a model without a price, failures and tools. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const dayMs = 86_400_000;
const models = [
	{ provider: "anthropic", model: "claude-sonnet-4-5", price: [3, 15, 0.3, 3.75] },
	{ provider: "openai", model: "gpt-5.2", price: [1.75, 14, 0.175, 0], sub: 1 },
	{ provider: "google", model: "gemini-3-pro", price: [2, 12, 0.2, 0] },
	{ provider: "home", model: "free-model", price: undefined },
] as const;
const tools = ["bash", "read", "edit", "grep"] as const;
const projects = [
	"/home/user/work/parser",
	"/home/user/work/a-project-with-a-long-name",
	"/srv/site",
] as const;

export function writeUsageLines(agentDir: string, days: number, now = Date.now()): void {
	const directory = join(agentDir, "usage");
	mkdirSync(directory, { recursive: true });
	for (let day = 0; day < days; day++) {
		const lines = Array.from({ length: 1 + ((day * 7) % 11) }, (_, at) => linesOf(day, at, now)).flat();
		const name = new Date(now - day * dayMs).toISOString().slice(0, 10);
		writeFileSync(
			join(directory, `${name}.jsonl`),
			lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
		);
	}
}

function linesOf(day: number, number: number, now: number): object[] {
	const at = now - day * dayMs - number * 60_000;
	const seed = day * 13 + number;
	const { provider, model, price, ...paid } = models[seed % models.length] ?? models[0];
	const tokens = [
		2000 + ((seed * 997) % 9000),
		200 + ((seed * 31) % 1500),
		20_000 + ((seed * 7919) % 90_000),
		0,
	];
	const about = { session: `session-${seed % 9}`, cwd: projects[seed % projects.length] };
	const nanos = price && [
		...price.map((dollars, part) => Math.round(dollars * (tokens[part] ?? 0) * 1000)),
		0,
	];
	return [
		{
			at,
			...about,
			provider,
			model,
			tokens,
			...(nanos ? { nanos } : {}),
			...paid,
			...(seed % 17 === 3 ? { failure: "overloaded" } : {}),
			...(seed % 5 === 0 ? { agent: "explore" } : {}),
			ms: 2000 + ((seed * 37) % 9000),
			ttft: 300 + ((seed * 11) % 900),
		},
		{
			at: at + 1,
			...about,
			tool: tools[seed % tools.length],
			ms: 20 + ((seed * 101) % 4000),
			...(seed % 6 === 0 ? { error: 1 } : {}),
		},
	];
}
