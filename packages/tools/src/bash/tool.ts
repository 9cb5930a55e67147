/** Runs a shell command and reports what it printed and how it ended. */
import type { AgentToolResult } from "@tau/agent";
import { envFlag, listen, once, timer } from "@tau/utils";
import { z } from "zod";
import { settingsLimits as limits } from "@tau/config/settings";

import { defineTool, type ToolContext } from "../tool/define-tool.ts";
import { userTerminals } from "../tool/env.ts";
import { commandTouch } from "./touch.ts";
import { claudeSwitch } from "../tool/claude-form.ts";
import { jobsService, type Job } from "./jobs.ts";
import { liveUpdates } from "../output/index.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { CommandRun } from "./command-run.ts";
import { intercept } from "./interceptor.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };
import { portsService, withPorts } from "./port-watch.ts";
import { failingCheck } from "./report.ts";
import { shellService } from "./shell-service.ts";

const parameters = () =>
	z.object({
		command: z.string().min(1),
		cwd: z.string().optional(),
		timeout: z.number().optional().describe(`seconds, default ${limits.bashTimeoutSeconds}`),
		env: z.record(z.string(), z.string()).optional(),
		pty: z.boolean().optional(),
		async: z.boolean().optional(),
	});

/** Imported once: finding a module that is loaded takes as long as the report. */
const reporter = once(() => import("./sandbox-report.ts"));

export const bash = defineTool({
	name: "bash",
	label: "Run command",
	prompt,
	concurrency: "exclusive",
	approval: "exec",
	amends: ["command"],
	claude: { name: "Bash", renamed: { run_in_background: claudeSwitch("async") } },
	schema,
	parameters,
	touches: (params, context) => commandTouch(params, context),
	prepare: (env) => env.services.get(shellService, env).prepare?.(),
	async execute(params, context) {
		const problem = await refuse(params, context);
		if (problem !== undefined) return errorResult(problem);
		const shell = context.services.get(shellService, context);
		const before = shell.cwd;
		// Loaded while the sandbox of the first command starts; a failure is reported where it is needed.
		reporter().catch(() => {});
		const run = new CommandRun(commandOptions(params, context), shell, context);
		context.judged?.runs?.(run.ended);
		if (params.async) return startJob(run, context);
		return withPorts(await foreground(run, before, context), context.services.get(portsService, context));
	},
	carries: failingCheck,
	view: { call: ({ command, cwd }) => shownCall(command, cwd) },
});

type Params = z.infer<ReturnType<typeof parameters>>;

async function refuse(params: Params, context: ToolContext): Promise<string | undefined> {
	if (params.async && !context.settings.get("async.enabled"))
		return "Background jobs are disabled (async.enabled). Run it without async.";
	if (params.async && context.services.get(jobsService, context).isFull)
		return "Too many jobs are running. End one with job kill first.";
	const folded = foldCd(params.command);
	const blocked = context.settings.get("bashInterceptor.enabled")
		? intercept(folded.command, context.settings.get("bashInterceptor.patterns"), (name) =>
				context.session.hasTool(name),
			)
		: undefined;
	if (blocked !== undefined || params.cwd === undefined) return blocked;
	const place = context.resolve(params.cwd);
	const info = await context.machine.files.stat(place).catch(() => undefined);
	if (!info) return `Working directory does not exist: ${place}`;
	return info.kind === "directory" ? undefined : `Working directory is not a directory: ${place}`;
}

function commandOptions(params: Params, context: ToolContext): CommandRun["options"] {
	const isJob = params.async === true;
	const wantsTerminal = params.pty === true && !envFlag("TAU_NO_PTY", context.env);
	const isShown = wantsTerminal && !isJob && context.services.provided(userTerminals)?.() !== undefined;
	// A user may take longer than a program.
	const usual = isJob || isShown ? limits.bashTimeoutMaxSeconds : context.settings.get("bash.timeoutSeconds");
	return {
		command: params.command,
		...(params.cwd === undefined ? {} : { cwd: context.resolve(params.cwd) }),
		...(params.env ? { env: params.env } : {}),
		seconds: Math.min(Math.max(params.timeout ?? usual, 1), limits.bashTimeoutMaxSeconds),
		// Nobody could type into any other terminal, and a program that waits for a key would never end.
		pty: wantsTerminal && (isJob || isShown),
		isShown,
		...(wantsTerminal && !isJob && !isShown ? { note: withoutTerminal(context) } : {}),
		beside: isJob,
	};
}

function withoutTerminal({ settings }: ToolContext): string {
	const why = "No user can type here, so it ran without a terminal.";
	return settings.get("async.enabled") ? `[${why} With async, it has one that job types into.]` : `[${why}]`;
}

/** The job is known when it cannot be started, too: then it has ended already. */
function startJob(run: CommandRun, context: ToolContext): AgentToolResult {
	const job = context.services.get(jobsService, context).add(run);
	const details = { command: run.options.command, jobId: job.id };
	return textResult(
		`Job ${job.id} is running. You will be notified when it ends; use job to inspect it.`,
		details,
	);
}

/** Waits for the end or, if the user requests it, until the command has become a job. */
async function foreground(run: CommandRun, before: string, context: ToolContext): Promise<AgentToolResult> {
	const { isShown } = run.options;
	// The user sees the terminal itself.
	using live = liveUpdates(() => isShown || context.update(textResult(run.output.live())));
	run.onOutput = () => live.changed();
	using _abort = listen(context.signal, "abort", () => run.stop());
	if (context.signal.aborted) run.stop();
	const moved = Promise.withResolvers<Job>();
	const jobs = context.services.get(jobsService, context);
	const move = (): Job => {
		run.leave();
		const job = jobs.add(run);
		moved.resolve(job);
		return job;
	};
	using _offer = context.settings.get("async.enabled") ? jobs.offer(move) : undefined;
	using _ports = context.services.get(portsService, context).watch(run);
	using _threshold = isShown ? undefined : backgroundTimer(context, () => void move());
	try {
		const end = await Promise.race([run.ended, moved.promise]);
		if (!("state" in end)) {
			const { sandboxReport } = await reporter();
			return await sandboxReport(run, end, before, context);
		}
		const job = end;
		run.onOutput = () => {};
		const { text, lines } = run.since(0);
		job.seen = lines;
		const note = `[still running as job ${job.id}. You will be notified when it ends; use job to inspect it.]`;
		const details = { command: run.options.command, jobId: job.id };
		return textResult(text === "" ? note : `${text}\n\n${note}`, details);
	} catch (error) {
		return errorResult(error instanceof Error ? error.message : String(error));
	}
}

function backgroundTimer({ settings, services, ...place }: ToolContext, act: () => void): Disposable {
	const isOn = settings.get("async.enabled") && settings.get("bash.autoBackground.enabled");
	if (!isOn || services.get(jobsService, { settings, services, ...place }).isFull)
		return new DisposableStack();
	return timer(settings.get("bash.autoBackground.thresholdMs"), act);
}

function shownCall(command: string | undefined, cwd: string | undefined): string {
	if (command === undefined) return "bash $ …";
	const folded = foldCd(command);
	const place = cwd ?? folded.cwd;
	return place === undefined ? `bash $ ${command}` : `bash $ ${cwd ? command : folded.command} (in ${place})`;
}

interface Folded {
	command: string;
	cwd?: string;
}

/** Matches one literal word, bare or quoted; a word that a shell would expand does not match. */
const leading = /^\s*cd\s+(?:--\s+)?(?:"([^"$`\\\n]+)"|'([^'\n]+)'|([\w./@%+,:-]+))\s*&&\s*(?=\S)/;

/** Turns a leading `cd` into a working directory: `cd sub && make` is `make` in `sub`. */
function foldCd(command: string): Folded {
	const match = leading.exec(command);
	const cwd = match?.[1] ?? match?.[2] ?? match?.[3];
	// `cd -` and options do not name a directory.
	if (!match || cwd === undefined || cwd.startsWith("-")) return { command };
	return { command: command.slice(match[0].length), cwd };
}
