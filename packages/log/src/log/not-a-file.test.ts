/** A path that is not a regular file is rejected at once, without waiting for it. */
import { expect, test } from "bun:test";

import { sourceLines } from "../import/source-lines.ts";
import { SessionManager } from "./session-manager.ts";

test("a device can be neither opened nor imported", () => {
	expect(SessionManager.tryOpen("/dev/null")).toMatchObject({ ok: false, reason: "unreadable" });
	expect(() => [...sourceLines("/dev/null")]).toThrow("/dev/null is not a file.");
});
