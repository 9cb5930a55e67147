/** How a message of the user looks: with images, with a skill, and after a long paste. */
import { describe, expect, test } from "bun:test";

import { frame, testViewContext } from "../testing/view-context.ts";
import { UserMessageView } from "./user-message.ts";

describe("a message that calls a skill", () => {
	const content = '<skill name="pdf" location="/x/SKILL.md">\nRun it.\n</skill>\n\nUser: read the bill';

	test("shows what the user typed, and the skill's text when expanded", () => {
		const message = { role: "user" as const, content, timestamp: 0 };
		expect(frame(new UserMessageView(testViewContext(), message), 60)).toMatchInlineSnapshot(`
		  "
		   ❯ /skill:pdf read the bill"
		`);
		const all = new UserMessageView(testViewContext({ expandTools: true }), message);
		expect(frame(all, 60)).toMatchInlineSnapshot(`
		  "
		   ❯ /skill:pdf read the bill
		     <skill name="pdf" location="/x/SKILL.md">
		     Run it.
		     </skill>

		     User: read the bill"
		`);
	});

	test("keeps its images visible", () => {
		const image = { type: "image" as const, mimeType: "image/png", data: "" };
		const text = { type: "text" as const, text: "Review it." };
		const message = { role: "user" as const, content: [text, image], called: "/review", timestamp: 0 };
		expect(frame(new UserMessageView(testViewContext(), message), 60)).toMatchInlineSnapshot(`
		  "
		   ❯ /review [image/png]"
		`);
	});
});

test("a user message has its own background, with the images in it", () => {
	const content = [
		{ type: "text" as const, text: "look at this, it is a longer sentence" },
		{ type: "image" as const, mimeType: "image/png", data: "" },
	];
	const view = new UserMessageView(testViewContext(), { role: "user", content, timestamp: 0 });
	expect(frame(view, 80)).toMatchInlineSnapshot(`
	  "
	   ❯ look at this, it is a longer sentence [image/png]"
	`);
	expect(frame(view, 24)).toMatchInlineSnapshot(`
	  "
	   ❯ look at this, it is
	     a longer sentence
	     [image/png]"
	`);
});

test("of a long paste the beginning is shown, and all of it on request", () => {
	const content = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join("\n");
	const context = testViewContext();
	const view = new UserMessageView(context, { role: "user", content, timestamp: 0 });
	const rows = frame(view, 60).trim().split("\n");
	expect(rows[0]).toContain("❯ line 1");
	expect(rows).toHaveLength(12);
	expect(rows.at(-1)).toContain("… 29 more rows · ctrl+o shows all");
	context.expandTools = true;
	view.invalidate();
	expect(frame(view, 60)).toContain("line 40");
});
