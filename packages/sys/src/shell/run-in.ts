/** Runs one command in a shell that stays, and owns what it starts. */
import { listen, withTimeout } from "@tau/utils";

import { killFamily, killFamilyNow, startEnvironment, ticksSinceBoot } from "../process/index.ts";
import type { BashProcess, OrderEnd } from "./bash-process.ts";
import { OutputPipe } from "./output-pipe.ts";
import { markName, markValue, withMark } from "./owned.ts";
import { Patience } from "./patience.ts";
import type { ShellCommand, ShellOutcome } from "./run.ts";

/** What a shell exits with to say that it, or its last command, was terminated. */
const terminated = 143;
/** The second kind is for the other members of a pipeline, one a line. */
const obituary =
	/^(?:(?:\S+: line \d+: +\d+ )?(?:Terminated|Killed)(?: .*)?| +\d+ (?:[A-Z][\w ]*?)? +\| .*)\n/gm;

export interface OrderedCommand extends Omit<ShellCommand, "cwd" | "env"> {
	cwd?: string;
	env?: Record<string, string>;
	/** The mark of the session, and which of its commands this is. */
	scope: string;
	run: number;
	sessionEnv: Record<string, string>;
	/** Where a command ended that took its shell along. */
	fallbackCwd: string;
	/** When it was asked for: starting a shell is part of its time. */
	started: number;
}

export interface OrderedOutcome {
	outcome: ShellOutcome & { cwd: string };
	/** Where the shell stands now, if it still does. */
	home?: string;
}

export async function runIn(bash: BashProcess, command: OrderedCommand): Promise<OrderedOutcome> {
	const { signal, scope, sessionEnv, cwd } = command;
	const mark = `${scope}${command.run}.`;
	let stopping: Promise<void> | undefined;
	using pipe = await OutputPipe.open((chunk) => {
		command.onOutput(stopping ? withoutObituary(chunk) : chunk);
	});
	using deadline = withTimeout(signal, command.timeoutMs, "The command timed out");
	const since = ticksSinceBoot();
	const ending = bash.run(command.command, {
		env: { ...command.env, [markName]: markValue(sessionEnv, mark) },
		...(cwd === undefined ? {} : { cwd }),
		pipe: pipe.path,
	});
	const stop = (): void => void (stopping ??= stopCommand(bash, { scope, mark, since }));
	if (deadline.signal.aborted) stop();
	using _listener = listen(deadline.signal, "abort", stop);
	let end: OrderEnd;
	try {
		end = await Promise.race([ending, pipe.reading.then(() => ending)]);
		await pipe.drain();
	} catch (error) {
		stop();
		throw error;
	} finally {
		await stopping;
	}
	pipe.letGo(withMark(sessionEnv, mark));
	const stopped = signal.aborted ? "abort" : deadline.signal.aborted ? "timeout" : undefined;
	const durationMs = performance.now() - command.started;
	const { cwd: last = cwd ?? command.fallbackCwd, home } = end;
	const ran: ShellOutcome = { ...how(end, stopped !== undefined), durationMs };
	if (stopped !== undefined) ran.stopped = stopped;
	return { outcome: { ...ran, cwd: last }, ...(home === undefined ? {} : { home }) };
}

/** A shell that lives on prints that what we have ended was ended. */
function withoutObituary(chunk: Uint8Array): Uint8Array {
	const text = Buffer.from(chunk).toString("latin1");
	const rest = text.replaceAll(obituary, "");
	return rest.length === text.length ? chunk : Buffer.from(rest, "latin1");
}

function how(end: OrderEnd, stopped: boolean): Pick<ShellOutcome, "exitCode" | "killedBy"> {
	if (end.type === "ended") return stopped ? { killedBy: "SIGTERM" } : { exitCode: end.status };
	const { exitCode, killedBy } = end;
	if (stopped && exitCode === terminated) return { killedBy: "SIGTERM" };
	return { ...(exitCode === undefined ? {} : { exitCode }), ...(killedBy === undefined ? {} : { killedBy }) };
}

interface Marks {
	scope: string;
	mark: string;
	since: number;
}

/** Ends what the command has started. The shell goes on when it comes back from the command soon after. */
async function stopCommand(bash: BashProcess, { scope, mark, since }: Marks): Promise<void> {
	const family = { leaders: [bash.owned], mark, since, spare: (pid: number) => isOfOther(pid, scope, mark) };
	if (bash.busy && bash.replaced) return void (await killFamily(family));
	if (bash.busy) bash.interrupt();
	const patience = new Patience(bash.owned.pid);
	// Each time: the shell may have been about to start the next program, and waits for that now.
	do await killFamily({ ...family, keepLeaders: true });
	while (bash.busy && (await patience.lasts()));
	if (!bash.busy) return;
	killFamilyNow(family);
	await bash.exited;
}

/** Started by an earlier command of the session, which may have left it in the background on purpose. */
function isOfOther(pid: number, scope: string, mark: string): boolean {
	const environment = startEnvironment(pid);
	if (environment.includes(mark)) return false;
	return environment
		.split(scope)
		.slice(1)
		.some((rest) => /^\d+\./.test(rest));
}
