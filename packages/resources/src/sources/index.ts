/** All sources, the most important first: of two things with the same name, that of the earlier one counts. */
import type { Source } from "./source.ts";
import { agents } from "./agents.ts";
import { claude } from "./claude.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { mcpJson } from "./mcp-json.ts";
import { omp } from "./omp.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { tau } from "./tau.ts";
import { vscode } from "./vscode.ts";
import { windsurf } from "./windsurf.ts";

export const sources: readonly Source[] = [
	tau,
	omp,
	pi,
	claude,
	codex,
	gemini,
	agents,
	cursor,
	windsurf,
	cline,
	copilot,
	vscode,
	opencode,
	mcpJson,
];
export { discoveryPaths, type DiscoveryPaths } from "./discovery-paths.ts";
export type { Part, Source } from "./source.ts";
