/** Asks the user one or several questions and returns what the user chose or wrote. */
import type { AgentToolResult, CarriedFact } from "@tau/agent";
import { abortable, isTimeout, once, stripControls, withTimeout } from "@tau/utils";
import { z } from "zod";

import { defineTool, type ToolContext } from "../tool/define-tool.ts";
import { userQuestions, type Answer, type AskUser, type Question } from "../tool/env.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { limits } from "./limits.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

const words = () => z.string().trim().min(1).max(limits.chars);

export const ask = defineTool({
	name: "ask",
	label: "Ask the user",
	prompt,
	concurrency: "exclusive",
	approval: "read",
	kind: "think",
	claude: { name: "AskUserQuestion" },
	asksUser: true,
	isForMainOnly: true,
	schema,
	parameters: () =>
		z.object({
			questions: z
				.array(
					z.object({
						question: words(),
						options: z
							.array(z.object({ label: words(), description: words().optional() }))
							.max(limits.options)
							.optional(),
						multiple: z.boolean().optional(),
						recommended: z.number().int().min(0).optional().describe("index in options"),
					}),
				)
				.min(1)
				.max(limits.questions),
		}),
	async execute({ questions }, context) {
		const asked = questions.map(asQuestion);
		const wrong = asked.find(({ options, recommended = 0 }) => recommended >= Math.max(1, options.length));
		if (wrong) return errorResult(`"${wrong.question}" recommends an option that does not exist.`);
		const user = context.services.provided(userQuestions)?.();
		if (!user) {
			return errorResult(
				"No user is available to answer. Decide yourself, and state your assumptions in the answer.",
				{
					questions: asked,
					unanswered: "nobody",
				},
			);
		}
		return await askUser(asked, user, context);
	},
	carries: (message) => {
		if (message.role !== "toolResult" || message.isError) return [];
		const answered = answeredIn().safeParse(message.details);
		return answered.success ? decisionsOf(answered.data) : [];
	},
	view: { call: ({ questions }) => `ask ${questions?.map(({ question }) => question).join(" · ") ?? "…"}` },
});

function asQuestion(
	given: {
		question: string;
		options?: { label: string; description?: string | undefined }[] | undefined;
		multiple?: boolean | undefined;
		recommended?: number | undefined;
	},
	index: number,
): Question {
	return {
		id: String(index + 1),
		question: given.question,
		options: (given.options ?? []).map(({ label, description }) => ({
			label,
			...(description === undefined ? {} : { description }),
		})),
		multiple: given.multiple ?? false,
		...(given.recommended === undefined ? {} : { recommended: given.recommended }),
	};
}

async function askUser(
	questions: readonly Question[],
	user: AskUser,
	{ settings, signal }: ToolContext,
): Promise<AgentToolResult> {
	const seconds = settings.get("ask.timeoutSeconds");
	using deadline =
		seconds > 0 ? withTimeout(signal, seconds * 1000, "The user did not answer in time") : undefined;
	try {
		// A screen that does not listen cannot hold the turn.
		const limited = deadline?.signal ?? signal;
		const answers = await abortable(user(questions, limited), limited);
		if (!answers) return errorResult("The user declined to answer.", { questions, unanswered: "declined" });
		return textResult(answersText(questions, answers), { questions, answers });
	} catch (error) {
		if (!isTimeout(error) || signal.aborted) throw error;
		return errorResult(
			`The user did not answer within ${seconds} s. Continue with your best judgment, and say so.`,
			{
				questions,
				unanswered: "timeout",
			},
		);
	}
}

/** The details of a result, also of one that an older version wrote. */
const answeredIn = once(() =>
	z.object({
		questions: z.array(z.object({ id: z.string(), question: z.string() })),
		answers: z.array(z.object({ id: z.string(), chosen: z.array(z.string()), text: z.string().optional() })),
	}),
);

/** A question that is asked again is decided anew. */
function decisionsOf({ questions, answers }: z.infer<ReturnType<typeof answeredIn>>): CarriedFact[] {
	return questions.flatMap(({ id, question }) => {
		const { chosen = [], text = "" } = answers.find((answer) => answer.id === id) ?? {};
		const answer = [...chosen, text].filter((part) => part !== "").join("; ");
		return answer === ""
			? []
			: [{ section: "decision", key: question, text: `- ${question} ${stripControls(answer)}` }];
	});
}

function answersText(questions: readonly Question[], answers: readonly Answer[]): string {
	return questions
		.map(({ id, question }) => {
			const answer = answers.find((candidate) => candidate.id === id);
			const lines = [...(answer?.chosen ?? []), ...(answer?.text ? [answer.text] : [])];
			return `${question}\n${lines.length === 0 ? "(no answer)" : lines.map((line) => `> ${stripControls(line)}`).join("\n")}`;
		})
		.join("\n\n");
}
