/** Looks after the commands that run by themselves. */
import type { AgentToolResult } from "@tau/agent";
import { abortable, delay } from "@tau/utils";
import { z } from "zod";

import { limits } from "../bash/limits.ts";
import { defineTool, type ToolContext } from "../tool/define-tool.ts";
import { shellCwd } from "../bash/touch.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { jobsService, type Job, type Jobs } from "../bash/jobs.ts";
import { withPorts } from "../bash/port-watch.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

const parameters = () =>
	z.object({
		action: z.enum(["list", "poll", "output", "input", "kill"]),
		id: z.string().optional(),
		wait: z.number().optional().describe(`seconds, default ${limits.pollSeconds}`),
		input: z.string().optional(),
	});

type Params = z.infer<ReturnType<typeof parameters>>;

export const job = defineTool({
	name: "job",
	label: "Background jobs",
	prompt,
	concurrency: "shared",
	approval: "exec",
	schema,
	parameters,
	touches: ({ action, input }, context) =>
		action === "input" && input !== undefined
			? [{ kind: "exec", command: input, cwd: shellCwd(undefined, context), isTyped: true }]
			: [],
	approvalFor: ({ action }) => (action === "input" ? "exec" : "read"),
	async execute(params, context) {
		const jobs = context.services.get(jobsService, context);
		return withPorts(await answer(params, context, jobs), jobs.ports);
	},
	view: { call: ({ action, id }) => ["job", action ?? "…", id ?? ""].join(" ").trim() },
});

async function answer(params: Params, context: ToolContext, jobs: Jobs): Promise<AgentToolResult> {
	if (params.action === "list") return listed(jobs);
	if (params.action === "poll" && params.id === undefined) return pollAny(jobs, params, context);
	const one = jobs.listForModel().find(({ id }) => id === params.id);
	if (!one) return errorResult(unknown(params.id, jobs));
	return actions[params.action](one, params, context, jobs);
}

type Action = (job: Job, params: Params, context: ToolContext, jobs: Jobs) => Promise<AgentToolResult>;

const actions: Record<"poll" | "output" | "input" | "kill", Action> = {
	async poll(one, params, context, jobs) {
		await watch([one], params, context.signal);
		return looked([one], jobs);
	},
	async output(one, _params, _context, jobs) {
		await one.run.drawn();
		const { text, ...facts } = one.run.summary();
		one.seen = one.run.since(one.seen).lines;
		if (one.state !== "running") knows(one);
		return textResult(`${status(one, jobs)}\n${text || "(no output)"}`, { ...about(one), ...facts });
	},
	async input(one, { input }, context, jobs) {
		if (input === undefined) return errorResult("input: set the text to type.");
		if (!one.run.hasTerminal) return errorResult(`Job ${one.id} has no terminal. Start it with pty: true.`);
		if (!one.run.type(input)) return errorResult(`Job ${one.id} ${one.ending ?? "is not ready"}.`);
		await abortable(Promise.race([one.settled, delay(limits.inputMs, context.signal)]), context.signal);
		return looked([one], jobs);
	},
	async kill(one, _params, _context, jobs) {
		if (one.state === "running") await jobs.kill(one);
		return looked([one], jobs);
	},
};

/** The model has seen how it ended: a message about it would only repeat that. */
function knows(one: Job): void {
	one.reported = true;
	one.known.abort();
}

function listed(jobs: Jobs): AgentToolResult {
	const all = jobs.listForModel();
	if (all.length === 0) return { ...textResult("No jobs.", { jobs: [] }), useless: true };
	return textResult(all.map((one) => status(one, jobs)).join("\n"), { jobs: all.map(about) });
}

/** Waits until one running job has ended, and reports what the model does not know yet. */
async function pollAny(jobs: Jobs, params: Params, context: ToolContext): Promise<AgentToolResult> {
	const unreported = jobs.listForModel().filter(({ state, reported }) => state !== "running" && !reported);
	if (unreported.length > 0) return looked(unreported, jobs);
	const running = jobs.listForModel().filter(({ state }) => state === "running");
	if (running.length === 0) return listed(jobs);
	await watch(running, params, context.signal);
	const ended = running.filter(({ state }) => state !== "running");
	return looked(ended.length > 0 ? ended : running, jobs);
}

/** Waits until one job has ended or the time is up. Rejects when the user cancels. */
async function watch(some: readonly Job[], { wait }: Params, signal: AbortSignal): Promise<void> {
	const seconds = Math.min(Math.max(wait ?? limits.pollSeconds, 0), limits.pollMaxSeconds);
	const enough = new AbortController();
	for (const one of some) one.watchers++;
	try {
		const pause = delay(seconds * 1000, AbortSignal.any([signal, enough.signal]));
		// Ended below, when a job was first.
		pause.catch(() => {});
		await abortable(Promise.race([pause, ...some.map(({ settled }) => settled)]), signal);
	} finally {
		enough.abort();
		for (const one of some) one.watchers--;
	}
}

/** Reports what is new about each job; the result is useless when all still run and have printed nothing. */
async function looked(some: readonly Job[], jobs: Jobs): Promise<AgentToolResult> {
	await Promise.all(some.map(({ run }) => run.drawn()));
	const fresh = some.map((one) => {
		const { text, lines } = one.run.since(one.seen);
		one.seen = lines;
		if (one.state !== "running") knows(one);
		return { one, text };
	});
	const text = fresh
		.map(({ one, text: message }) => `${status(one, jobs)}\n${message || "(nothing new)"}`)
		.join("\n\n");
	const nothing = fresh.every(({ one, text: message }) => one.state === "running" && message === "");
	return { ...textResult(text, { jobs: some.map(about) }), ...(nothing ? { useless: true } : {}) };
}

function status(one: Job, jobs: Jobs): string {
	const seconds = Math.round(((one.endedAt ?? Date.now()) - one.startedAt) / 1000);
	const addresses = jobs.ports.openOf(one.run).map(({ address }) => `, http://${address} for the user`);
	return `[job ${one.id} ${one.ending ?? "is running"}, ${seconds} s${addresses.join("")}] ${one.label}`;
}

function about({ id, label, state }: Job): { id: string; label: string; state: Job["state"] } {
	return { id, label, state };
}

function unknown(id: string | undefined, jobs: Jobs): string {
	const ids = jobs.listForModel().map((one) => one.id);
	const known = ids.length === 0 ? "No jobs." : `Jobs: ${ids.join(", ")}.`;
	return id === undefined ? `id is required. ${known}` : `Job ${id} not found. ${known}`;
}
