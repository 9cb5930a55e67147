/** `/goal`, `/plan`, `/mode` and `/retry`: how the model works. */
import { approvalModes, boundaryMeanings, modeMeanings, type ApprovalMode } from "@tau/session/policy";
import { assertOutcome } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import type { CommandReply } from "@tau/wire";

import { reply, valueItems, type CommandTarget, type SessionCommand } from "../command.ts";

export const goal: SessionCommand = {
	name: "goal",
	yieldsToPrompts: true,
	group: "Tools",
	argumentHint: "[check command | off]",
	words: ["off"],
	description: "Keep working until a command passes",
	details:
		"/goal npm test: whenever the model would stop, the command runs, and its output goes to the model until it passes, the attempts (goal.maxAttempts) or the budget end. /goal shows the goal, /goal off ends it.",
	right: "control",
	shows: [""],
	async run(args, { host }) {
		const check = args.trim();
		if (check !== "")
			assertOutcome(await host.apply({ type: "goal", check: check === "off" ? undefined : check }));
		const { goal: current } = host.work;
		return { ...reply(goalText(check, current?.check)), data: { goal: current ?? null } };
	},
};

function goalText(wanted: string, current: string | undefined): string {
	if (wanted === "off") return "Goal off.";
	if (wanted !== "") return `Goal set: \`${wanted}\` must pass. Checked after each turn.`;
	return current === undefined ? "No goal set." : `Goal: \`${current}\` must pass.`;
}

export const plan: SessionCommand = {
	name: "plan",
	yieldsToPrompts: true,
	group: "Tools",
	argumentHint: "[what to plan]",
	description: "Plan first: nothing is changed until you approve",
	details:
		"Commands run, but cannot write. The model of the role `plan` reads and asks, then presents a plan: approve it, edit it, or keep planning with feedback. /plan again leaves plan mode.",
	right: "control",
	run(args, target) {
		const { policy } = target.host;
		if (!policy) return noApprovals;
		if (policy.isReadOnly && args === "") {
			const next = policy.leavePlan();
			const text = `Plan mode has ended. Approval mode ${next}.`;
			return { ...reply(text, "success"), data: { mode: next } };
		}
		if (!policy.isReadOnly) policy.setMode("plan");
		if (args !== "") target.prompt(args);
		return {
			...reply("Plan mode: nothing is changed until you approve a plan."),
			data: { mode: policy.mode },
		};
	},
};

const noApprovals: CommandReply = reply("This session has no approvals.", "warning");

export const mode: SessionCommand = {
	name: "mode",
	group: "Tools",
	argumentHint: `[${approvalModes.join("|")}]`,
	description: "Set when Tau asks before tools run",
	right: "control",
	complete: (prefix, { host }) => {
		const modes = approvalModes.map((value) => ({ value, description: modeMeanings[value] }));
		return valueItems(modes, prefix, host.policy?.mode);
	},
	async run(args, target) {
		const { policy } = target.host;
		if (!policy) return noApprovals;
		const named = approvalModes.find((name) => name === args.toLowerCase());
		if (args !== "" && !named) throw new UserError(`Usage: /mode ${approvalModes.join("|")}`);
		const choices = approvalModes.map((name) => ({
			value: name,
			label: name,
			description: modeMeanings[name],
		}));
		const title = `Approval mode (${boundaryMeanings[policy.boundary]})`;
		const chosen = named ?? (await target.ask.select(title, choices, { selected: policy.mode }));
		const wanted = approvalModes.find((name) => name === chosen);
		if (!wanted || !(await setMode(wanted, target))) return { data: { mode: policy.mode } };
		const text = `Approval mode ${wanted}: ${modeMeanings[wanted]}.`;
		return { ...reply(text, wanted === "full" ? "warning" : "success"), data: { mode: wanted } };
	},
};

/** Asks for a yes before `full`. Resolves with whether the mode was set. */
async function setMode(
	next: ApprovalMode,
	{ host: { policy }, ask }: Pick<CommandTarget, "host" | "ask">,
): Promise<boolean> {
	if (!policy) return false;
	if (next === "full" && !policy.mayBeFull) {
		const question = "Run everything in this session without asking?";
		// A stray Enter must not open everything.
		const yes = await ask.confirm(question, "No questions, no sandbox.", { selected: "no" });
		if (!yes) return false;
	}
	policy.setMode(next);
	return true;
}

export const retry: SessionCommand = {
	name: "retry",
	group: "Session",
	description: "Retry the last turn after it failed or was stopped",
	right: "prompt",
	async run(_, { host }) {
		if (host.isBusy)
			return reply("The model is still answering. Press Esc to interrupt it first.", "warning");
		await host.retry();
		return {};
	},
};
