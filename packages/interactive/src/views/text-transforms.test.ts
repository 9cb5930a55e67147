/** How extensions transform the text of a conversation: on the screen only. */
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

import { frame, testViewContext, type TestViewContext } from "../testing/view-context.ts";
import { AnswerTextView } from "./answer-text.ts";
import { CustomMessageView } from "./custom-message.ts";
import { ThinkingView } from "./thinking.ts";
import { UserMessageView } from "./user-message.ts";

const info = { path: "/x.ts", source: "test", scope: "user", origin: "top-level" } as const;

function fixtureOf(transformers: MarkdownTransformer[], renderers: ThinkingRenderer[] = []): TestViewContext {
	const extension = new Extension("/x.ts", info);
	extension.markdownTransformers.push(...transformers);
	extension.thinkingRenderers.push(...renderers);
	return testViewContext({
		transforms: {
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

test("answers, user text and thinking are drawn as the chain transforms them, skipping one that fails", () => {
	const seen: MarkdownTransformContext[] = [];
	const view = fixtureOf([
		(text, context) => {
			seen.push(context);
			return text;
		},
		broken,
		arrows,
		(text) => `${text}!`,
	]);
	expect(frame(new AnswerTextView(view, "a --> b", true), 40)).toContain("a → b!");
	const user = new UserMessageView(view, { role: "user", content: "c --> d", timestamp: 1 });
	expect(frame(user, 40)).toContain("c → d!");
	expect(frame(new ThinkingView(view, "e --> f", true), 40)).toContain("e → f!");
	expect(new Set(seen.map(({ messageType }) => messageType))).toEqual(
		new Set(["assistant", "user", "assistant-thinking"]),
	);
	expect(seen.map(({ availableWidth }) => availableWidth)).toEqual(expect.arrayContaining([38, 34]));
});

test("messages of extensions are not transformed", () => {
	const message = {
		role: "custom",
		customType: "x",
		content: "a --> b",
		display: true,
		timestamp: 1,
	} as const;
	expect(frame(new CustomMessageView(fixtureOf([arrows]), message), 40)).toContain("a --> b");
});

test("a streaming answer is transformed as a whole, and once more at its end", () => {
	const states: boolean[] = [];
	const viewContext = fixtureOf([
		(text, { isStreaming }) => {
			states.push(isStreaming);
			return isStreaming
				? text.toUpperCase()
				: arrows(text, { messageType: "assistant", isStreaming, availableWidth: 1 });
		},
	]);
	const view = new AnswerTextView(viewContext, "", false);
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
	const view = fixtureOf([(text) => `${text}\x1b[2J`]);
	const rows = [
		...new UserMessageView(view, { role: "user", content: "a", timestamp: 1 }).render(40),
		...new AnswerTextView(view, "b", true).render(40),
		...new ThinkingView(view, "c", true).render(40),
	];
	expect(rows.join("\n")).not.toContain("\x1b[2J");
});

test("what extensions draw below thinking is shown while the thinking is", () => {
	const viewContext = fixtureOf(
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
	const view = new ThinkingView(viewContext, "four", true, { contentIndex: 2, thinkingIndex: 1 });
	expect(frame(view, 40)).toContain("4 2 1");
	viewContext.showThinking = false;
	view.invalidate();
	expect(frame(view, 40)).not.toContain("4 2 1");
});
