/** What the user sees of a call before allowing it. */
import { expect, test } from "bun:test";

import { builtinTheme } from "@tau/tui";
import type { UserRequestOf } from "@tau/session/host";

import { ApprovalDialog } from "./approval-dialog.ts";

type Approval = UserRequestOf<"approval">;

const theme = { current: builtinTheme("dark", "none") };

const host: Omit<Approval, "kind" | "id" | "openedAt"> = {
	call: { toolCallId: "", toolName: "network", args: { host: "example.org", port: 443 } },
	tier: "exec",
	touches: [{ kind: "fetch", url: "example.org:443" }],
	reason: "a command wants to connect to example.org:443",
	choices: [
		{ id: "once", label: "Yes, once", allows: true, scope: "once" },
		{ id: "no", label: "No", allows: false, scope: "once" },
	],
};

function shown(fields: Omit<Approval, "kind" | "id" | "openedAt">, width = 60, isFocused = true): string[] {
	const request: Approval = { kind: "approval", id: "1", openedAt: 0, ...fields };
	const parts = { request, theme, rows: () => 40, onChoose: () => {}, requestRender: () => {} };
	const dialog = new ApprovalDialog(parts);
	dialog.focused = isFocused;
	return dialog.render(width).map((row) => Bun.stripANSI(row).trimEnd());
}

test("a question about a host names its address once", () => {
	const rows = shown(host, 80);
	expect(rows.filter((row) => row.includes("example.org:443"))).toHaveLength(1);
	expect(rows.join("\n")).not.toMatch(/host:|port:|\n\n\n/);
});

test("one that waits above the editor ends without a rule, because the editor begins with one", () => {
	const isRule = (row: string | undefined): boolean => row !== undefined && /^─+$/.test(row);
	expect(isRule(shown(host).at(-1))).toBe(true);
	expect(shown(host, 60, false).filter(isRule)).toHaveLength(1);
});

const change: Omit<Approval, "kind" | "id" | "openedAt"> = {
	call: { toolCallId: "1", toolName: "edit", args: {} },
	tier: "write",
	touches: [{ kind: "write", path: "/shop/cart.js" }],
	choices: [{ id: "once", label: "Yes, once", allows: true, scope: "once" }],
};

test("a diff looks as in the transcript, and everything in it is visible", () => {
	const text =
		"-3 \tconst sum = items.reduce((sum, item) => sum + item.price);\n+3 \treturn\t0;\u202e\u001b[8m";
	const rows = shown({ ...change, preview: { kind: "diff", text } });
	expect(rows).toContain(" 3 -    const sum = items.reduce((sum, item) => sum +");
	expect(rows).toContain(" 3 +    return⇥0;<U+202E><U+001B>[8m");
});

test("a new file has no raw headers, and lines that look like some are its text", () => {
	const lines = ["--- /dev/null", "+++ ../new.js", "@@ -0,0 +1,3 @@", "+--- a", "+diff --git x", "+\tx"];
	const rows = shown({ ...change, preview: { kind: "diff", text: `${lines.join("\n")}\n` } });
	const at = rows.indexOf(" ../new.js");
	expect(rows.slice(at, at + 4)).toEqual([" ../new.js", " 1 + --- a", " 2 + diff --git x", " 3 +    x"]);
});
