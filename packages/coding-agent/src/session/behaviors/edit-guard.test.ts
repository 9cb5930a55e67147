/** An edit that cannot match ends while the model still writes it; the model is told why and goes on. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";

import { playModel, type Scenario } from "@tau/ai/testing";

import { testPlace, type TestPlace } from "../../testing/place.ts";
import { testModel, testSession } from "../../testing/session.ts";
import { edit } from "../../tools/edit/tool.ts";
import { write } from "../../tools/write/tool.ts";
import { editGuard } from "./edit-guard.ts";

const calling = (name: string, args: Record<string, unknown>) => ({
	toolCall: { name, arguments: args },
	chunks: 30,
});

/** What the model was sent, request by request. */
async function run(place: TestPlace, steps: Scenario["steps"]): Promise<string[]> {
	await using played = await playModel({ steps });
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		tools: [edit.bind(place), write.bind(place)],
		behaviors: [editGuard(place, (tool) => tool === "read")],
	});
	await session.prompt({ text: "go" });
	// What the model is told is never taken for the person's words.
	expect(session.state.messages.filter(({ role }) => role === "user")).toHaveLength(1);
	return played.requests.map(({ rawBody }) => rawBody);
}

test("a wrong edit ends at the line that is wrong, long before its end, and nothing of it is run", async () => {
	await using place = await testPlace();
	writeFileSync(place.resolve("f"), "one\ntwo\nthree\n");
	const bad = { path: "f", edits: [{ oldText: "one\nzwei\nthree\n", newText: "x".repeat(2000) }] };
	// The played model would be silent for a minute in the middle of the new text: only the guard ends it.
	const answer = { blocks: [calling("edit", bad)] };
	const requests = await run(place, [{ answer, fault: { pauseMs: 60_000, afterChunks: 20 } }, "Sorry."]);
	expect(requests).toHaveLength(2);
	expect(requests[1]).toContain("oldText does not occur in f.");
	expect(requests[1]).toContain("stopped while you were writing it");
	expect(requests[1]).not.toContain("xxxx");
	expect(readFileSync(place.resolve("f"), "utf8")).toBe("one\ntwo\nthree\n");
});

test("a right edit is left alone", async () => {
	await using place = await testPlace();
	writeFileSync(place.resolve("f"), "one\ntwo\nthree\n");
	const good = { path: "f", edits: [{ oldText: "one\ntwo\n", newText: "1\n2\n" }] };
	const requests = await run(place, [{ answer: { blocks: [calling("edit", good)] } }, "Done."]);
	expect(requests[1]).toContain("Edited f");
	expect(readFileSync(place.resolve("f"), "utf8")).toBe("1\n2\nthree\n");
});

test("an edit of a file that the same answer writes first is judged when it runs", async () => {
	await using place = await testPlace();
	const blocks = [
		calling("write", { path: "new", content: "one\ntwo\n" }),
		calling("edit", { path: "new", edits: [{ oldText: "two\n", newText: "2\n" }] }),
	];
	const requests = await run(place, [{ answer: { blocks } }, "Done."]);
	expect(requests).toHaveLength(2);
	expect(readFileSync(place.resolve("new"), "utf8")).toBe("one\n2\n");
});
