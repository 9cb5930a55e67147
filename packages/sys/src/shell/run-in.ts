/** Runs one command in a persistent shell, and owns the processes that it starts. */
import { listen, withTimeout } from "@tau/utils";

import { limits } from "../limits.ts";
import {
	killFamily,
	killFamilyNow,
	startEnvironment,
	ticksSinceBoot,
	readActivity,
} from "../process/index.ts";
import type { BashProcess, OrderEnd } from "./bash-process.ts";
import { OutputPipe } from "./output-pipe.ts";
import { isOfRun, markName, markValue, reviveWatcher, withMark } from "./owned.ts";
import type { ShellCommand, ShellOutcome } from "./run.ts";

/** The exit code of a shell that was terminated, or whose last command was. */
const terminated = 143;
/**
 * The second alternative is for the other members of a pipeline, one per line; the third for bash 5.2, which cannot read a
 * trap whose signal arrives while it reads a substitution (5 of about 12,000 signals sent on purpose in that moment).
 */
const obituary =
	/^(?:(?:\S+: line \d+: +\d+ )?(?:Terminated|Killed)(?: .*)?| +\d+ (?:[A-Z][\w ]*?)? +\| .*|\S+: trap: line \d+: unexpected EOF while looking for matching `\)')\n/gm;

export interface OrderedCommand extends Omit<ShellCommand, "cwd" | "env"> {
	cwd?: string;
	env?: Record<string, string>;
	/** The mark of the session, and the number of this command. */
	scope: string;
	run: number;
	/** The variable with the marks around that of this command. */
	outerMarks: Record<string, string>;
	sessionEnv(): Record<string, string>;
	/** The directory to report if a command ended its shell. */
	fallbackCwd: string;
	/** Where the shell must be, if what the command may do was judged by that. */
	home?: string;
	/** The time of the request: starting a shell is part of the duration. */
	started: number;
}

export interface OrderedOutcome {
	outcome: ShellOutcome & { cwd: string };
	/** The current directory of the shell, if it still runs. */
	home?: string;
	/** True if the shell could not take the command: it has not run. */
	isLost?: boolean;
}

export async function runIn(bash: BashProcess, command: OrderedCommand): Promise<OrderedOutcome> {
	const { signal, scope, outerMarks, sessionEnv, cwd } = command;
	const mark = `${scope}${command.run}.`;
	let stopping: Promise<void> | undefined;
	using pipe = await OutputPipe.open((chunk) => {
		command.onOutput(stopping ? withoutObituary(chunk) : chunk);
	}, bash.room);
	using deadline = withTimeout(signal, command.timeoutMs, "The command timed out");
	command.onStart?.((timeoutMs) => deadline.restart(timeoutMs));
	const since = ticksSinceBoot();
	const ending = bash.run(command.command, {
		env: { ...command.env, [markName]: markValue(outerMarks, mark) },
		...(cwd === undefined ? {} : { cwd }),
		...(command.home === undefined ? {} : { home: command.home }),
		pipe: pipe.inside,
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
	reviveWatcher();
	pipe.letGo(() => withMark(sessionEnv(), mark));
	const stopped = signal.aborted ? "abort" : deadline.signal.aborted ? "timeout" : undefined;
	const durationMs = performance.now() - command.started;
	const { cwd: last = cwd ?? command.fallbackCwd, home } = end.type === "lost" ? {} : end;
	const ran: ShellOutcome = { ...how(end, stopped !== undefined), durationMs };
	if (stopped !== undefined) ran.stopped = stopped;
	const isLost = end.type === "lost" && stopped === undefined;
	return { outcome: { ...ran, cwd: last }, ...(home === undefined ? {} : { home }), isLost };
}

/** Removes the messages of a surviving shell about processes that we have killed. */
function withoutObituary(chunk: Uint8Array): Uint8Array {
	const text = Buffer.from(chunk).toString("latin1");
	const rest = text.replaceAll(obituary, "");
	return rest.length === text.length ? chunk : Buffer.from(rest, "latin1");
}

function how(end: OrderEnd, stopped: boolean): Pick<ShellOutcome, "exitCode" | "killedBy"> {
	if (end.type === "lost") return {};
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

/** Ends the processes of the command. The shell survives if it returns from the command soon after. */
async function stopCommand(bash: BashProcess, { scope, mark, since }: Marks): Promise<void> {
	const family = { leaders: [bash.owned], mark, since, spare: (pid: number) => isOfOther(pid, scope, mark) };
	if (bash.busy && bash.replaced) return void (await killFamily(family));
	const wait = new ReactionWait(bash.owned.pid);
	do {
		// In every round: bash may have lost the signal (see `obituary`), or just have started the next program.
		if (bash.busy) bash.interrupt();
		await killFamily({ ...family, keepLeaders: true });
	} while (bash.busy && (await wait.continues()));
	if (!bash.busy) return;
	killFamilyNow(family);
	await bash.exited;
}

/** True for a process of an earlier command of the session, which may have left it in the background on purpose. */
function isOfOther(pid: number, scope: string, mark: string): boolean {
	return !startEnvironment(pid).includes(mark) && isOfRun(pid, scope);
}

/** Waits for a process to react, measured by the processor time that it had rather than by the clock. */
class ReactionWait {
	readonly #pid: number;
	readonly #deadline = performance.now() + limits.interruptMs;
	#looks = 0;
	#ticks = 0;

	constructor(pid: number) {
		this.#pid = pid;
	}

	/** Waits a moment; false when the process had enough time to react and has not. */
	async continues(): Promise<boolean> {
		await Bun.sleep(limits.killPollMs);
		const now = readActivity(this.#pid);
		// On a busy machine the process may not have run at all: then its silence means nothing.
		const hadNoChance = now?.isHeldUp === true && now.ticks === this.#ticks;
		this.#ticks = now?.ticks ?? 0;
		if (!hadNoChance) this.#looks++;
		return this.#looks < limits.interruptLooks && performance.now() < this.#deadline;
	}
}
