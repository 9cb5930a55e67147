/** How long a call of an MCP server may take. */
import { expect, test } from "bun:test";

import { callTimeout } from "./connection.ts";
import { limits } from "./limits.ts";

const most = limits.callMaxMs;

test.each([
	["the usual time, unless the server has its own", {}, 300, 5],
	["the user's variable counts for every server", { TAU_MCP_TIMEOUT_MS: "70" }, 70, 70],
	["under omp's name, too", { OMP_MCP_TIMEOUT_MS: "80" }, 80, 80],
	["0 waits as long as a call may take at all", { TAU_MCP_TIMEOUT_MS: "0" }, most, most],
	["and so does a longer time", { TAU_MCP_TIMEOUT_MS: "99999999999" }, most, most],
	["what is no time is ignored", { TAU_MCP_TIMEOUT_MS: "-1" }, 300, 5],
	["and so is a word", { TAU_MCP_TIMEOUT_MS: "soon" }, 300, 5],
])("%s", (_, env: Record<string, string>, usual, own) => {
	expect(callTimeout(undefined, 300, env)).toBe(usual);
	expect(callTimeout(5, 300, env)).toBe(own);
});
