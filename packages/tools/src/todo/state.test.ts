/** A list that the user wrote replaces the model's, until the other one writes again. */
import { expect, test } from "bun:test";

import type { AgentMessage } from "@tau/agent";

import { markdownToPhases, phasesToMarkdown } from "./markdown.ts";
import { editCall, TodoState, userTodoEdit } from "./state.ts";

function byModel(list: string): AgentMessage {
	return {
		role: "toolResult",
		toolName: "todo",
		toolCallId: list,
		content: [],
		isError: false,
		timestamp: 1,
		details: { phases: markdownToPhases(list) },
	};
}

function byUser(list: string, customType = userTodoEdit): AgentMessage {
	return {
		role: "custom",
		customType,
		content: "",
		display: false,
		timestamp: 7,
		details: { phases: markdownToPhases(list) },
	};
}

const read = (state: TodoState, messages: AgentMessage[]) =>
	phasesToMarkdown(state.read({ messages, history: () => [] }));

test("the newer of both is used", () => {
	const messages = [byModel("# A\n- [/] one"), byUser("# A\n- [/] two")];
	expect(read(new TodoState(), messages)).toBe("# A\n- [/] two");
	expect(read(new TodoState(), [...messages, byModel("# A\n- [/] three")])).toBe("# A\n- [/] three");
	expect(read(new TodoState(), [...messages, byUser("# A\n- [/] four", "other")])).toBe("# A\n- [/] two");
});

test("items that the user closed are still shown, in this session and after a resume", () => {
	const state = new TodoState();
	const list = "# A\n- [x] one\n- [/] two";
	const messages = [byUser(list)];
	state.write(markdownToPhases(list), editCall(7), messages);
	expect(read(state, [...messages, byUser("x", "other")])).toBe(list);
	expect(read(new TodoState(), messages)).toBe(list);
});

test("a session that was just resumed shows its list without reading its conversation", () => {
	const list = "# A\n- [/] one";
	const session = {
		isUnread: true,
		get messages(): AgentMessage[] {
			throw new Error("the conversation was read");
		},
		history: (marks: readonly string[]) =>
			marks.includes('"todo"') ? [byModel(list), byModel("# A\n- [ ] old")] : [],
	};
	expect(phasesToMarkdown(new TodoState().read(session))).toBe(list);
});

test("a list that a compaction removed from the context is still available", () => {
	const summary: AgentMessage = { role: "compactionSummary", summary: "…", tokensBefore: 1, timestamp: 9 };
	const list = "# A\n- [x] one\n- [/] two";
	const session = { messages: [summary], history: () => [byModel(list), byModel("# A\n- [/] one")] };
	expect(phasesToMarkdown(new TodoState().read(session))).toBe(list);
	const written = new TodoState();
	written.write(markdownToPhases(list), list, [byModel(list)]);
	expect(phasesToMarkdown(written.read(session))).toBe(list);
});

test("a log without a list is searched once for each end of a branch, and once for each compaction", () => {
	const summary: AgentMessage = { role: "compactionSummary", summary: "…", tokensBefore: 1, timestamp: 9 };
	let searches = 0;
	const history = (): AgentMessage[] => {
		searches++;
		return [];
	};
	const state = new TodoState();
	const unread = { isUnread: true, messages: [], history };
	for (let at = 0; at < 3; at++) state.read({ ...unread, leafId: "a" });
	expect(searches).toBe(1);
	state.read({ ...unread, leafId: "b" });
	expect(searches).toBe(2);
	const messages: AgentMessage[] = [summary];
	for (let at = 0; at < 3; at++) {
		messages.push(byUser("said meanwhile", "other"));
		expect(state.read({ messages, history })).toEqual([]);
	}
	expect(searches).toBe(3);
	state.read({ messages: [{ ...summary }], history });
	expect(searches).toBe(4);
});
