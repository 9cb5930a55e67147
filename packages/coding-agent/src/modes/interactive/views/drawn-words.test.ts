/** What extensions make of the words of a conversation: seen on the screen, and nowhere else. */
import { expect, test } from "bun:test";

import { Text } from "@tau/tui";
import {
	type MarkdownTransformContext,
	type MarkdownTransformer,
	type ThinkingRenderer,
	markdownTransform,
	thinkingRows,
	Extension,
} from "@tau/extensions/api";

import { frame, testStage, type TestStage } from "../testing/stage.ts";
import { AnswerTextView } from "./answer-text.ts";
import { CustomMessageView } from "./custom-message.ts";
import { ThinkingView } from "./thinking.ts";
import { UserMessageView } from "./user-message.ts";

const info = { path: "/x.ts", source: "test", scope: "user", origin: "top-level" } as const;

function stageOf(transformers: MarkdownTransformer[], renderers: ThinkingRenderer[] = []): TestStage {
	const extension = new Extension("/x.ts", info);
	extension.markdownTransformers.push(...transformers);
	extension.thinkingRenderers.push(...renderers);
	return testStage({
		words: {
			transform: () => markdownTransform([extension]),
			belowThinking: (...about) => thinkingRows([extension], ...about),
		},
		showThinking: true,
	});
}

const arrows: MarkdownTransformer = (text) => text.replaceAll("-->", "→");
const broken: MarkdownTransformer = () => {
	throw new Error("broken");
};

test("answers, user text and thinking are drawn as the chain leaves them, past one that fails", () => {
	const seen: MarkdownTransformContext[] = [];
	const stage = stageOf([
		(text, context) => {
			seen.push(context);
			return text;
		},
		broken,
		arrows,
		(text) => `${text}!`,
	]);
	expect(frame(new AnswerTextView(stage, "a --> b", true), 40)).toContain("a → b!");
	const user = new UserMessageView(stage, { role: "user", content: "c --> d", timestamp: 1 });
	expect(frame(user, 40)).toContain("c → d!");
	expect(frame(new ThinkingView(stage, "e --> f", true), 40)).toContain("e → f!");
	expect(new Set(seen.map(({ messageType }) => messageType))).toEqual(
		new Set(["assistant", "user", "assistant-thinking"]),
	);
	expect(seen.map(({ availableWidth }) => availableWidth)).toEqual(expect.arrayContaining([38, 34]));
});

test("messages of extensions are not touched", () => {
	const message = {
		role: "custom",
		customType: "x",
		content: "a --> b",
		display: true,
		timestamp: 1,
	} as const;
	expect(frame(new CustomMessageView(stageOf([arrows]), message), 40)).toContain("a --> b");
});

test("an answer that comes in is drawn anew as a whole, and as one that is finished at its end", () => {
	const states: boolean[] = [];
	const stage = stageOf([
		(text, { isStreaming }) => {
			states.push(isStreaming);
			return isStreaming
				? text.toUpperCase()
				: arrows(text, { messageType: "assistant", isStreaming, availableWidth: 1 });
		},
	]);
	const view = new AnswerTextView(stage, "", false);
	view.append("one --");
	expect(frame(view, 40)).toContain("ONE --");
	expect(view.liveFrom(40)).toBe(0);
	view.append("> two");
	expect(frame(view, 40)).toContain("ONE --> TWO");
	view.finish();
	expect(frame(view, 40)).toContain("one → two");
	const { length } = states;
	frame(view, 40);
	expect(states).toHaveLength(length);
	frame(view, 30);
	expect(states).toHaveLength(length + 1);
});

test("control sequences of a transformer do not reach the terminal", () => {
	const stage = stageOf([(text) => `${text}\x1b[2J`]);
	const rows = [
		...new UserMessageView(stage, { role: "user", content: "a", timestamp: 1 }).render(40),
		...new AnswerTextView(stage, "b", true).render(40),
		...new ThinkingView(stage, "c", true).render(40),
	];
	expect(rows.join("\n")).not.toContain("\x1b[2J");
});

test("below thinking stands what extensions draw there, while it is shown", () => {
	const stage = stageOf(
		[],
		[
			() => {
				throw new Error("broken");
			},
			({ text, contentIndex, thinkingIndex }) =>
				new Text(`${text.length} ${contentIndex} ${thinkingIndex}`, 1, 0),
			() => undefined,
		],
	);
	const view = new ThinkingView(stage, "four", true, { contentIndex: 2, thinkingIndex: 1 });
	expect(frame(view, 40)).toContain("4 2 1");
	stage.showThinking = false;
	view.invalidate();
	expect(frame(view, 40)).not.toContain("4 2 1");
});
