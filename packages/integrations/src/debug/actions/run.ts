/** Starts debuggees and lets them run: launch, attach, continue, steps, pause. */
import type { AgentToolResult } from "@tau/agent";
import type { DebugProtocol } from "@vscode/debugprotocol";

import type { Breakpoint } from "../client/breakpoints.ts";
import { DapError, records } from "../client/connection.ts";
import type { DebugSession } from "../client/debug-session.ts";
import { debuggers, type Beginning } from "../debuggers.ts";
import { limits } from "../limits.ts";
import { planMode, type ToolContext, textResult } from "@tau/tools/tool";
import type { Arguments } from "../parameters.ts";
import { stateReport } from "./report.ts";
import { describeBreakpoint } from "../describe.ts";
import { breakpointsOf, placeBreakpoint } from "./breakpoints.ts";

const steps = { step_over: "next", step_in: "stepIn", step_out: "stepOut" } as const;
export type StepAction = keyof typeof steps;

export async function launch(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	if (args.program === undefined) throw new DapError("launch needs program.");
	const service = context.services.get(debuggers, context);
	const program = context.resolve(args.program);
	const info = await context.machine.files.stat(program).catch(() => undefined);
	if (!info) throw new DapError(`There is no file ${args.program}.`);
	const adapter = await service.adapter(args.adapter, program, context.signal);
	const cwd = args.cwd === undefined ? context.cwd : context.resolve(args.cwd);
	const goal = goalOf(args.until, program, context);
	const session = await begin(
		{
			label: [service.shown(program), ...(args.args ?? [])].join(" "),
			request: "launch",
			adapter,
			cwd,
			configuration: adapter.row.launch({
				program,
				args: args.args ?? [],
				cwd,
				env: args.env ?? {},
				stopOnEntry: args.stop_on_entry === true,
				adapterProgram: adapter.command[0],
			}),
			breakpoints: [...breakpointsOf(args.breakpoints, context), ...goal],
			...(args.exceptions ? { exceptions: args.exceptions } : {}),
		},
		context,
	);
	return await waitForStop(session, args, context);
}

export async function attach(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const { pid, port, host = "127.0.0.1" } = args;
	if (pid === undefined && port === undefined) throw new DapError("attach needs pid or port.");
	const service = context.services.get(debuggers, context);
	const program = args.program ?? "";
	const name = args.adapter ?? (port === undefined ? undefined : "debugpy");
	const isAdapter = port !== undefined && !service.row(name)?.attachesByPort;
	const adapter = isAdapter
		? service.adapterAt(name ?? "", host, port)
		: await service.adapter(name, program, context.signal);
	const target = pid === undefined ? { host, ...(port === undefined ? {} : { port }) } : { pid };
	const configuration = adapter.row.attach?.(target) ?? `${adapter.row.name} cannot attach.`;
	if (typeof configuration === "string") throw new DapError(configuration);
	if (program !== "" && adapter.row.native) configuration.program = context.resolve(program);
	const session = await begin(
		{
			label: pid === undefined ? `${host}:${port}` : `process ${pid}`,
			request: "attach",
			adapter,
			cwd: context.cwd,
			configuration,
			breakpoints: [
				...breakpointsOf(args.breakpoints, context),
				...goalOf(args.until, program === "" ? undefined : context.resolve(program), context),
			],
			...(args.exceptions ? { exceptions: args.exceptions } : {}),
		},
		context,
	);
	if (session.breakpoints.all.length > 0) return await waitForStop(session, args, context);
	// Nothing says where it would stop: it runs on, and the model decides.
	return await waitForStop(session, { ...args, timeout: args.timeout ?? limits.attachSeconds }, context, [
		"Set breakpoints, or use pause.",
	]);
}

/** How a debugger fails without it, and what the sandbox is asked about. */
const refusals = {
	// Each debugger has words of its own for it (lldb: "'A' packet returned an error: 8"); inside, none can trace.
	tracing: { message: / refused (launch|attach):/, output: "ptrace: operation not permitted" },
	"Unix sockets": { message: /listen EPERM/, output: "listen EPERM" },
} as const;

/** Tries it in the sandbox; a debugger that needs what the sandbox refuses runs outside, if the user allows that. */
async function begin(beginning: Beginning, context: ToolContext): Promise<DebugSession> {
	const service = context.services.get(debuggers, context);
	const since = performance.now();
	const { sandbox, signal, machine } = context;
	try {
		return await service.begin(beginning, signal);
	} catch (error) {
		const { name, refusedInSandbox: need } = beginning.adapter.row;
		if (!(error instanceof DapError) || !sandbox || need === undefined) throw error;
		const { message, output } = refusals[need];
		if (!message.test(error.message)) throw error;
		const denied = await sandbox.denials(output, beginning.cwd, since);
		if (denied.length === 0) throw error;
		// What follows was printed by the program.
		const [reason = ""] = error.message.split("\n");
		const why = `${reason}; the sandbox refuses ${need}, which this debugger needs`;
		const shown = `${name}: ${beginning.label}`;
		const mayRun =
			!context.services.provided(planMode)?.isOn && (await sandbox.requestOutside(shown, why, signal));
		if (!mayRun)
			throw new DapError(
				`${reason}. The sandbox refuses ${need}, which ${name} needs; the user can allow it with /sandbox off.`,
			);
		return await service.begin({ ...beginning, machine: { ...machine, shell: sandbox.outside } }, signal);
	}
}

/** Lets it run until it stops; one that runs already is waited for. */
export async function resume(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const session = resumable(args, context);
	const { signal } = context;
	const goal = goalOf(args.until, undefined, context);
	const added = [...breakpointsOf(args.breakpoints, context), ...goal];
	session.breakpoints.add(added);
	await session.sendBreakpoints(
		added.flatMap(({ path }) => path ?? []),
		{ signal },
	);
	if (session.state === "stopped")
		await session.resume("continue", { threadId: args.thread ?? session.stop?.threadId }, { signal });
	return await waitForStop(session, args, context);
}

export async function step(
	action: StepAction,
	args: Arguments,
	context: ToolContext,
): Promise<AgentToolResult> {
	const session = resumable(args, context);
	const threadId = args.thread ?? session.stop?.threadId;
	if (session.state !== "stopped" || threadId === undefined) throw session.notStopped();
	await session.resume(steps[action], { threadId }, { signal: context.signal });
	return await waitForStop(session, args, context);
}

/** In plan mode nothing may write: a program from before stays where it is. */
function resumable(args: Arguments, context: ToolContext): DebugSession {
	const session = context.services.get(debuggers, context).session(args.session);
	if (context.services.provided(planMode)?.isOn && !session.isReadOnly)
		throw new DapError(
			`${session.id} was started before plan mode, and could write. It can be inspected, or launched again.`,
		);
	return session;
}

export async function pause(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const session = context.services.get(debuggers, context).session(args.session);
	const { signal } = context;
	if (session.state === "running") {
		const { threads } = await session.request<DebugProtocol.ThreadsResponse["body"]>(
			"threads",
			{},
			{ signal },
		);
		await session.request("pause", { threadId: args.thread ?? records(threads)[0]?.id ?? 1 }, { signal });
	}
	return await waitForStop(session, args, context);
}

export async function terminate(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const service = context.services.get(debuggers, context);
	const session = service.session(args.session).root;
	const printed = session.output.unseen(limits.reportOutputChars).trimEnd();
	const ending = session.state === "ended" ? `had ended: ${session.ending}` : "is ended";
	await service.end(session);
	return textResult([`${session.id} ${ending}.`, ...(printed === "" ? [] : ["Output:", printed])].join("\n"));
}

/** Any process of the program may be the one that stops. */
async function waitForStop(
	{ root }: DebugSession,
	args: Arguments,
	context: ToolContext,
	running?: readonly string[],
): Promise<AgentToolResult> {
	const seconds = Math.min(args.timeout ?? limits.waitSeconds, limits.waitMaxSeconds);
	const service = context.services.get(debuggers, context);
	const isSettled = await root.settled(seconds * 1000, context.signal);
	const session = root.state === "ended" ? root : root.active;
	root.reported = session;
	const missed = session.breakpoints.all
		.filter(({ verified }) => verified === false)
		.map((one) => `Not set: ${describeBreakpoint(one, service)}${one.message ? ` (${one.message})` : ""}`);
	const moved = session.breakpoints.all
		.filter(({ isTemporary, askedLine }) => isTemporary && askedLine !== undefined)
		.map(
			({ path = "", line, askedLine }) =>
				`${service.shown(path)} has no code at line ${askedLine}; until was set at line ${line}.`,
		);
	if (session.state === "stopped") {
		const files = session.breakpoints.dropTemporary();
		await session.sendBreakpoints(files, { signal: context.signal });
	}
	const report = await stateReport(session, args.show ?? [], context);
	const late = isSettled
		? []
		: (running ?? [`It has not stopped within ${seconds} s. Use pause, or continue to wait on.`]);
	return textResult([report, ...late, ...moved, ...missed].join("\n"), stateOf(session));
}

/** For views: what a result shows beside its text. */
function stateOf({ id, label, state }: DebugSession): object {
	return { session: id, program: label, state };
}

/** The line of "run to this line"; a number alone is a line of the program. */
function goalOf(until: string | undefined, program: string | undefined, context: ToolContext): Breakpoint[] {
	return until === undefined ? [] : [{ ...placeBreakpoint(until, program, context), isTemporary: true }];
}
