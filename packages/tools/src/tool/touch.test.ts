/** What a call touches includes every file that its path may mean: approvals judge what would be opened. */
import { expect, test } from "bun:test";
import { resolve } from "node:path";

import { fileTouch } from "./touch.ts";

const at = { cwd: "/work", resolve: (path: string) => resolve("/work", path) };
const paths = (path: string): string[] =>
	fileTouch("read", path, at).map((touch) => ("path" in touch ? touch.path : touch.kind));

test("a part behind the name of a file hides the file from nobody", () => {
	expect(paths("a.ts")).toEqual(["/work/a.ts"]);
	expect(paths("a.ts:10-20")).toEqual(["/work/a.ts:10-20", "/work/a.ts"]);
	expect(paths("/home/u/.ssh/id_rsa:../../../../work/a")).toContain("/home/u/.ssh/id_rsa");
	expect(paths("../a.db:t?q=select 1")).toEqual(["/a.db:t?q=select 1", "/a.db", "/a.db:t"]);
	expect(paths("https://example.org/a:b")).toEqual(["fetch"]);
});
