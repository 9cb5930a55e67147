/** A move in the session's tree: the events that extensions get, and how they change the summary. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { type ExtensionFixture, extensionFixtureWith } from "../../../../test/support/extensions.ts";
import { navigateTree } from "./navigate-tree.ts";
import type { NavigateOptions } from "./types.ts";

const extensionFixture = extensionFixtureWith(playModel);

const before = (body: string): Record<string, string> => ({
	"a.ts": `export default (pi) => {
		pi.on("session_before_tree", ({ preparation, signal }, ctx) => { ${body} });
		pi.on("session_tree", ({ newLeafId, oldLeafId, summaryEntry, fromExtension }, ctx) =>
			ctx.ui.notify("moved " + (newLeafId !== oldLeafId) + " " + summaryEntry?.summary + " " + fromExtension));
	};`,
});

/** A session with two answered prompts. */
async function said(files: Record<string, string>, more: string[] = []): Promise<ExtensionFixture> {
	const fixture = await extensionFixture({ steps: ["One.", "Two.", ...more] }, { files });
	for (const text of ["first", "second"]) await fixture.prompt(text);
	return fixture;
}

function idOf({ log }: ExtensionFixture, text: string): string {
	const entry = log
		.getEntries()
		.find((each) => each.type === "message" && JSON.stringify(each.message).includes(`"${text}"`));
	if (!entry) throw new Error(`Nobody said ${text}.`);
	return entry.id;
}

async function go(
	fixture: ExtensionFixture,
	targetId: string,
	options: NavigateOptions = {},
): Promise<boolean> {
	const replace = async (change: () => void): Promise<void> => {
		change();
		fixture.next();
	};
	return await navigateTree(fixture.extensions.runner, replace, targetId, options);
}

test("moving to a user message continues before it, and the abandoned entries include it", async () => {
	await using fixture = await said(
		before(
			`ctx.ui.notify([preparation.entriesToSummarize.map(({ message }) => message?.role).join(","), preparation.commonAncestorId, preparation.userWantsSummary].join(" "));`,
		),
	);
	const one = fixture.log.getEntry(idOf(fixture, "second"))?.parentId;
	expect(await go(fixture, idOf(fixture, "second"))).toBe(true);
	expect(fixture.log.getLeafId()).toBe(one ?? "");
	expect(fixture.shown).toEqual([
		`notify: user,assistant ${one} false`,
		"notify: moved true undefined undefined",
	]);
	// From the first message, nothing is shared.
	expect(await go(fixture, idOf(fixture, "first"))).toBe(true);
	expect(fixture.log.getLeafId()).toBeNull();
	expect(fixture.shown[2]).toBe("notify: user,assistant  false");
});

test("replaced instructions are the whole summary prompt, and the label is set on the summary", async () => {
	const files = before(
		`return { customInstructions: "Only the color.", replaceInstructions: true, label: "blue" };`,
	);
	await using fixture = await said(files, ["It was blue."]);
	await go(fixture, idOf(fixture, "second"), { summarize: true, customInstructions: "At length." });
	expect(fixture.request(2)).toContain("Only the color.");
	expect(fixture.request(2)).not.toMatch(/## Goal|At length/);
	const summary = fixture.log.getEntries().find(({ type }) => type === "branch_summary");
	expect(fixture.log.getLabel(summary?.id ?? "")).toBe("blue");
	expect(fixture.shown).toEqual([expect.stringMatching(/^notify: moved true It was blue\..* false$/s)]);
});

test("instructions that do not replace the summary prompt are added to it", async () => {
	await using fixture = await said(before("return undefined;"), ["Short."]);
	await go(fixture, idOf(fixture, "second"), {
		summarize: true,
		customInstructions: "Be short.",
		label: "x",
	});
	expect(fixture.request(2)).toMatch(/## Goal.*Be short\./s);
});

test("a summary by an extension is used only if one is requested, and a cancelled move changes nothing", async () => {
	await using fixture = await said(before(`return { summary: { summary: "mine", details: { n: 1 } } };`));
	await go(fixture, idOf(fixture, "second"));
	expect(fixture.shown).toEqual(["notify: moved true undefined undefined"]);
	await fixture.prompt("third").catch(() => {});
	await go(fixture, idOf(fixture, "first"), { summarize: true });
	expect(fixture.shown.at(-1)).toBe("notify: moved true mine true");
	await using refused = await said(before("return { cancel: true };"));
	const leaf = refused.log.getLeafId();
	expect(await go(refused, idOf(refused, "first"))).toBe(false);
	expect(refused.log.getLeafId()).toBe(leaf);
});
