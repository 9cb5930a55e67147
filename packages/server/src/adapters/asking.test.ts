/** A question is about what would happen, and only an offered choice is an answer. */
import { expect, test } from "bun:test";

import type { UserRequest } from "@tau/wire";

import { answerBy, type Asker } from "./asking.ts";

const head = { id: "1", sessionId: "s", time: 0 };

/** Chooses the option with this id; keeps what it was shown. */
function client(optionId: string): Asker & { shown: string } {
	const asked = {
		hasForms: false,
		shown: "",
		choose: async (_: unknown, subject: unknown) => {
			asked.shown = JSON.stringify(subject);
			return optionId;
		},
		form: async () => undefined,
		notice: () => {},
	};
	return asked;
}

test("everything that a project would run is part of the question", async () => {
	const runs = [
		{ path: "a", commands: ["./a <!--"] },
		{ path: "b", commands: ["./evil\u2066"] },
	];
	const request = { ...head, kind: "trust", project: "/p", runs } as unknown as UserRequest;
	const asked = client("no");
	expect(await answerBy(request, asked)).toEqual({ trusted: false, remember: false });
	expect(asked.shown).toContain(JSON.stringify("a\n  ./a <!--\nb\n  ./evil\u2066").slice(1, -1));
});

test.each(["", " 0", "0x0", "0.0", "-0", "cancel", "2", "toString"])(
	"an option that was not offered is no answer: %p",
	async (optionId) => {
		const dialog = { method: "select", title: "Which?", options: ["a", "b"] };
		const request = { ...head, kind: "dialog", dialog } as unknown as UserRequest;
		expect(await answerBy(request, client(optionId))).toBeUndefined();
		expect(await answerBy(request, client("1"))).toEqual({ value: "b" });
	},
);
