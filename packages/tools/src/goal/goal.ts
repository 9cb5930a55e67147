/** Keeps the model working until a check command of the user passes, or the attempts or the budget end. */
import type { AgentMessage } from "@tau/agent";
import type { SessionGoal } from "@tau/session/host";
import { fill, stripControls, type Env } from "@tau/utils";
import type { Behavior, SessionHandle } from "@tau/session/run";
import { OutputTail } from "@tau/sys";

import type { ToolEnv } from "../tool/env.ts";
import type { ServiceKey } from "../tool/services.ts";
import goalFailed from "./goal-failed.md" with { type: "text" };

/** A check may be a whole test suite; of its output the end matters. */
const limits = { checkMs: 900_000, outputBytes: 8_000 } as const;

interface Goal {
	/** The command; undefined without a goal. */
	check: string | undefined;
	attempts: number;
}

const goalState: ServiceKey<Goal> = {
	name: "goal",
	create: () => ({ check: undefined, attempts: 0 }),
};

export function goalOf({ services, settings }: ToolEnv): SessionGoal | undefined {
	const { check, attempts } = services.peek(goalState) ?? { check: undefined, attempts: 0 };
	return check === undefined ? undefined : { check, attempts, maxAttempts: settings.get("goal.maxAttempts") };
}

/** Undefined ends it. */
export function setGoal(env: ToolEnv, check: string | undefined): void {
	const text = check?.trim();
	Object.assign(env.services.get(goalState, env), { check: text === "" ? undefined : text, attempts: 0 });
}

export function goalKeeper(env: ToolEnv): Behavior {
	return {
		name: "goal",
		attach(session) {
			let isOverBudget = false;
			return session.onBefore(["agent_start", "budget_exhausted", "agent_end"], async (event) => {
				if (event.type === "agent_start") isOverBudget = false;
				if (event.type === "budget_exhausted") isOverBudget = true;
				const goal = env.services.peek(goalState);
				if (event.type !== "agent_end" || goal?.check === undefined) return;
				if (session.isAborted || !hasAnswered(event.messages)) return;
				if (isOverBudget) return end(session, goal, "Goal not reached: the budget is used up.");
				await tryGoal(env, session, goal, goal.check);
			});
		},
	};
}

async function tryGoal(env: ToolEnv, session: SessionHandle, goal: Goal, check: string): Promise<void> {
	const { exitCode, output } = await runCheck(env, check, session.signal);
	if (exitCode === 0) return end(session, goal, `Goal reached: \`${check}\` passes.`, "info");
	// The user has taken it back meanwhile.
	if (goal.check !== check || session.isAborted) return;
	const most = env.settings.get("goal.maxAttempts");
	if (++goal.attempts > most)
		return end(session, goal, `Goal not reached after ${most} attempts: \`${check}\` fails.`);
	const code = exitCode === undefined ? "no code (stopped)" : `${exitCode}`;
	const shown = output.trim() === "" ? "It printed nothing." : `Its output ends with:\n\n${output}`;
	const facts = { check, code, attempt: String(goal.attempts), most: String(most), output: shown };
	const content = fill(goalFailed, facts).trim();
	await session.deliver(
		{ role: "custom", customType: "goal", content, display: true, timestamp: Date.now() },
		"followUp",
	);
}

function end(
	session: SessionHandle,
	goal: Goal,
	message: string,
	level: "info" | "warning" = "warning",
): void {
	goal.check = undefined;
	goal.attempts = 0;
	session.notice(level, message);
}

async function runCheck(
	{ machine, cwd, env }: Pick<ToolEnv, "machine" | "cwd" | "env">,
	command: string,
	signal: AbortSignal = new AbortController().signal,
): Promise<{ exitCode: number | undefined; output: string }> {
	const tail = new OutputTail(limits.outputBytes);
	const { exitCode } = await machine.shell.run({
		command,
		cwd,
		env: present(env),
		timeoutMs: limits.checkMs,
		signal,
		onOutput: (chunk) => tail.push(chunk),
	});
	return { exitCode, output: stripControls(tail.text()) };
}

function hasAnswered(messages: readonly AgentMessage[]): boolean {
	const last = messages.findLast(({ role }) => role === "assistant");
	return last?.role === "assistant" && last.stopReason === "stop";
}

function present(env: Env): Record<string, string> {
	return Object.fromEntries(
		Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
	);
}
