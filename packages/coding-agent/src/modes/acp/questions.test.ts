/** What an editor shows with a question is what would happen, whatever the model or a project has written into it. */
import { expect, test } from "bun:test";

import type { UserRequest, UserRequestOf } from "@tau/wire";

import { answerOf, type Asked } from "./questions.ts";
import { approvalContent } from "./tool-calls.ts";

const head = { id: "1", sessionId: "s", time: 0 };

/** Chooses the option with this id; keeps what it was shown. */
function client(optionId: string): Asked & { shown: string } {
	const asked = {
		hasForms: false,
		shown: "",
		permission: async (call: object) => {
			asked.shown = JSON.stringify(call);
			return optionId;
		},
		form: async () => undefined,
		notice: () => {},
	};
	return asked;
}

test("invisible characters of a command are shown by their code", () => {
	const command = "rm a \u202e# b\u200b\n```\nls";
	const request = { touches: [{ kind: "exec", command, cwd: "/p" }], choices: [] } as unknown;
	const [shown] = approvalContent(request as UserRequestOf<"approval">, "/p");
	const text = "````sh\n$ rm a <U+202E># b<U+200B>\n```\nls\n````";
	expect(shown).toEqual({ type: "content", content: { type: "text", text } });
});

test("a command of a project cannot hide what else it would run", async () => {
	const runs = [
		{ path: "a", commands: ["./a <!--"] },
		{ path: "b", commands: ["./evil\u2066"] },
	];
	const request = { ...head, kind: "trust", project: "/p", runs } as unknown as UserRequest;
	const asked = client("no");
	expect(await answerOf(request, asked, {})).toEqual({ trusted: false, remember: false });
	expect(asked.shown).toContain(JSON.stringify("```\na\n  ./a <!--\nb\n  ./evil<U+2066>\n```").slice(1, -1));
});

test.each(["", " 0", "0x0", "0.0", "-0", "cancel", "2", "toString"])(
	"an option that was not offered is no answer: %p",
	async (optionId) => {
		const dialog = { method: "select", title: "Which?", options: ["a", "b"] };
		const request = { ...head, kind: "dialog", dialog } as unknown as UserRequest;
		expect(await answerOf(request, client(optionId), {})).toBeUndefined();
		expect(await answerOf(request, client("1"), {})).toEqual({ value: "b" });
	},
);
