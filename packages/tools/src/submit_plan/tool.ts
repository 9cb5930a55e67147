/** Presents a plan to the user, who approves it, edits it, or sends it back. */
import type { AgentToolResult } from "@tau/agent";
import { fill, once } from "@tau/utils";
import { z } from "zod";

import { markdownToPhases, phasesToMarkdown } from "../todo/markdown.ts";
import { normalize, type TodoPhase } from "../todo/phases.ts";
import { carriedTodo, todoState } from "../todo/state.ts";
import { defineTool, type ToolContext } from "../tool/define-tool.ts";
import { planMode, userQuestions } from "../tool/env.ts";
import { errorResult, textResult } from "../tool/result.ts";
import approvedText from "./approved.md" with { type: "text" };
import freshText from "./fresh.md" with { type: "text" };
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

/** A plan is read by a user, and a step is one line. */
const limits = { planChars: 40_000, steps: 40, stepChars: 300 } as const;

const choices = {
	approve: "Approve",
	fresh: "Approve in a fresh context",
	edit: "Edit the plan",
	back: "Keep planning, with feedback",
} as const;

export const submitPlan = defineTool({
	name: "submit_plan",
	label: "Plan",
	prompt,
	concurrency: "exclusive",
	approval: "read",
	kind: "think",
	claude: { name: "ExitPlanMode" },
	asksUser: true,
	isForMainOnly: true,
	schema,
	parameters: () =>
		z.object({
			plan: z.string().trim().min(1).max(limits.planChars).describe("Markdown"),
			steps: z.array(z.string().trim().min(1).max(limits.stepChars)).min(1).max(limits.steps),
		}),
	async execute({ plan, steps }, context) {
		if (!context.services.provided(planMode)?.isOn)
			return errorResult("The session is not in plan mode: carry out the plan.");
		const artifact = keep(context, plan);
		if (!context.services.provided(userQuestions)?.())
			return errorResult(
				"No user is available to approve the plan. Give it as your answer; it is not carried out.",
				{ artifact },
			);
		return await decided({ context, plan, phases: phasesOf(steps), artifact, isEdited: false });
	},
	carries: (message) => {
		const approved = message.role === "toolResult" && !message.isError;
		const details = approved ? approvedIn().safeParse(message.details).data : undefined;
		if (!details) return [];
		const text = `- The user approved the plan in artifact://${details.artifact}.`;
		return [...carriedTodo(message), { section: "decision", key: "plan", text }];
	},
	view: {
		call: ({ steps }) => `submit_plan, ${steps?.length ?? 0} steps`,
		shows: ({ plan }, details) => {
			const approved = shownIn().safeParse(details).data;
			return approved && (approved.plan ?? plan);
		},
	},
});

/** The details of an approved plan that is carried out in this session. */
const approvedIn = once(() => z.object({ artifact: z.string(), setsTodo: z.literal(true) }));

/** The details of any approved plan; with the plan if the user has edited it. */
const shownIn = once(() => z.object({ mode: z.string(), plan: z.string().optional() }));

interface PresentedPlan {
	readonly context: ToolContext;
	readonly plan: string;
	readonly phases: TodoPhase[];
	readonly artifact: string;
	readonly isEdited: boolean;
}

async function decided(draft: PresentedPlan): Promise<AgentToolResult> {
	const { context, plan } = draft;
	const options = Object.values(choices).map((label) => ({ label }));
	const title = `Start implementing this plan? (mode: ${context.services.provided(planMode)?.nextMode})`;
	const question = { id: "plan", question: `${plan}\n\n${title}`, options, multiple: false };
	const ask = context.services.provided(userQuestions)?.();
	const [answer] = (await ask?.([question], context.signal)) ?? [];
	const { chosen: [chosen] = [], text } = answer ?? {};
	if (chosen === choices.edit) return await edited(draft);
	if (chosen === choices.approve) return approve(draft);
	if (chosen === choices.fresh) return startFresh(draft);
	const feedback = chosen === choices.back && text === undefined ? await feedbackOn(context) : text;
	const why =
		feedback === undefined || feedback === "" ? " without a word. Ask what is missing." : `: ${feedback}`;
	return errorResult(`The user sent the plan back${why}`, { artifact: draft.artifact });
}

async function feedbackOn(context: ToolContext): Promise<string | undefined> {
	const question = {
		id: "feedback",
		question: "What should change in the plan?",
		options: [],
		multiple: false,
	};
	const ask = context.services.provided(userQuestions)?.();
	const [answer] = (await ask?.([question], context.signal)) ?? [];
	return answer?.text;
}

/** The edited text is the plan from then on; its list of steps, if it has one, is the todo list. */
async function edited(draft: PresentedPlan): Promise<AgentToolResult> {
	const { context, plan, phases } = draft;
	const whole = `${plan}\n\n${stepsTitle}\n\n${phasesToMarkdown(phases)}`;
	const changed = await context.services.provided(planMode)?.edit(whole, context.signal);
	if (changed === undefined || changed.trim() === whole.trim()) return await decided(draft);
	const [text = "", list = ""] = changed.split(`${stepsTitle}\n`);
	const own = markdownToPhases(list).filter(({ tasks }) => tasks.length > 0);
	normalize(own);
	const next = { ...draft, plan: text.trim(), phases: own.length > 0 ? own : phases, isEdited: true };
	return await decided({ ...next, artifact: keep(context, changed) });
}

const stepsTitle = "## Steps";

function approve({ context, plan, phases, artifact, isEdited }: PresentedPlan): AgentToolResult {
	const mode = context.services.provided(planMode)?.leave() ?? "";
	context.services.get(todoState, context).write(phases, context.toolCallId, context.session.messages);
	const text = fill(approvedText, {
		mode,
		artifact,
		edited: isEdited ? ", with changes" : "",
		plan: isEdited ? ` The plan as the user changed it:\n\n${plan}` : "",
	});
	return textResult(text.trim(), { phases, setsTodo: true, artifact, mode, ...(isEdited ? { plan } : {}) });
}

function startFresh({ context, plan, phases, artifact, isEdited }: PresentedPlan): AgentToolResult {
	const mode = context.services.provided(planMode)?.leave() ?? "";
	const whole = `${plan}\n\n${stepsTitle}\n\n${phasesToMarkdown(phases)}`;
	context.services.provided(planMode)?.startFresh(fill(freshText, { plan: whole }).trim());
	return textResult("The user approved the plan. It is carried out in a new session.", {
		artifact,
		mode,
		...(isEdited ? { plan } : {}),
	});
}

function phasesOf(steps: readonly string[]): TodoPhase[] {
	const phases = [{ name: "Plan", tasks: steps.map((content) => ({ content, status: "pending" as const })) }];
	normalize(phases);
	return phases;
}

function keep(context: ToolContext, plan: string): string {
	using artifact = context.artifacts.open("plan");
	artifact.write(new TextEncoder().encode(plan));
	return artifact.id;
}
