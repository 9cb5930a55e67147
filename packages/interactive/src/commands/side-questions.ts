/** `/btw` and `/ask`: the answer of a question beside the conversation, in a panel. */
import type { SessionCommand } from "@tau/session-commands";
import { ask as askRow, btw as btwRow, questionIn, wordsToModel } from "@tau/session-commands/rows";
import type { InteractiveHost } from "../host.ts";
import { streamedReply } from "../run-row.ts";
import { answerPane, type AnswerPaneParts } from "../selectors/side-question/answer-pane.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";
import { onScreen } from "./on-screen.ts";

export const btw: SlashCommand = {
	...onScreen(btwRow),
	run: (args, host) =>
		show(host, btwRow, args, { title: "By the way", question: questionIn(args), closesAtEnd: false }),
};

export const ask: SlashCommand = {
	...onScreen(askRow),
	run(args, host) {
		const { pattern, question } = wordsToModel(args);
		show(host, askRow, args, { title: pattern, question, closesAtEnd: true });
	},
};

function show(
	host: InteractiveHost,
	row: SessionCommand,
	args: string,
	about: Required<Pick<AnswerPaneParts, "title" | "question" | "closesAtEnd">>,
): void {
	openSelector(host, (screen, close) =>
		answerPane(screen, { ...about, ask: (options) => streamedReply(row, args, host, options), close }),
	);
}
