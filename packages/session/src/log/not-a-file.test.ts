/** What only has the name of a session is refused at once, and not waited for. */
import { expect, test } from "bun:test";

import { sourceLines } from "../import/source-lines.ts";
import { SessionManager } from "./session-manager.ts";

test("a device is not a session, neither to open nor to import", () => {
	expect(SessionManager.tryOpen("/dev/null")).toMatchObject({ ok: false, reason: "unreadable" });
	expect(() => [...sourceLines("/dev/null")]).toThrow("/dev/null is not a file.");
});
