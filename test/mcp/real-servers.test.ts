/** Servers that others wrote, as npm has them, work in the real program. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { launch, type Launched } from "../support/launch.ts";
import { bun, call, configure, lastResult, model, toolNames } from "./configured.ts";

const everything = import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js");
const filesystem = import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js");
const memory = import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js");
const playwright = join(
	dirname(fileURLToPath(import.meta.resolve("@playwright/mcp/package.json"))),
	"cli.js",
);

function program(file: string, args: readonly string[] = [], env: Record<string, string> = {}): object {
	return { command: bun, args: [file.startsWith("file:") ? fileURLToPath(file) : file, ...args], env };
}

/** Runs the prompt; the model calls these tools one after the other. Returns what it reads of each. */
async function results(
	servers: (tau: Launched) => Record<string, object>,
	calls: readonly [tool: string, args: Record<string, unknown>][],
	check: (read: string[], tau: Launched) => void,
): Promise<void> {
	await using tau = await launch({ steps: [...calls.map(([name, args]) => call(name, args)), "Done."] });
	writeFileSync(join(tau.project, "a.txt"), "from a file\n");
	configure(tau, servers(tau));
	expect((await tau.run(["-p", ...model, "go"])).out).toBe("Done.\n");
	check(
		calls.map((_, at) => lastResult(tau, at + 1)),
		tau,
	);
}

describe("from npm", () => {
	test("server-everything: text, numbers, pictures, structured results, resources and progress", async () => {
		await results(
			// Whoever does not trust it is asked about the resource, which it makes of an address that it does not list.
			() => ({ all: { ...program(everything), trust: true } }),
			[
				["mcp_all_echo", { message: "hi" }],
				["mcp_all_get_sum", { a: 40, b: 2 }],
				["mcp_all_get_tiny_image", {}],
				["mcp_all_get_structured_content", { location: "Chicago" }],
				["read", { path: "mcp://all/demo://resource/dynamic/text/1" }],
				["mcp_all_trigger_long_running_operation", { duration: 0.2, steps: 2 }],
			],
			([echo, sum, image, structured, resource, long]) => {
				expect(echo).toContain("hi");
				expect(sum).toContain("42");
				expect(image).toContain("image/png");
				expect(structured).toContain("temperature");
				expect(resource).toContain("Resource 1");
				expect(long).toContain("completed");
			},
		);
	});

	test("server-filesystem: reads what it may read, and nothing else", async () => {
		await results(
			({ project }) => ({ files: program(filesystem, [project]) }),
			[
				["mcp_files_read_text_file", { path: "a.txt" }],
				["mcp_files_write_file", { path: "b.txt", content: "written" }],
				["mcp_files_read_text_file", { path: "/etc/passwd" }],
			],
			([own, , foreign], { project }) => {
				expect(own).toContain("from a file");
				expect(readFileSync(join(project, "b.txt"), "utf8")).toBe("written");
				expect(foreign).toContain('"is_error":true');
			},
		);
	});

	test("server-memory keeps what it was given, in the file that its environment names", async () => {
		const entities = [{ name: "tau", entityType: "number", observations: ["two pi"] }];
		await results(
			({ home }) => ({ memory: program(memory, [], { MEMORY_FILE_PATH: join(home, "graph.json") }) }),
			[
				["mcp_memory_create_entities", { entities }],
				["mcp_memory_search_nodes", { query: "tau" }],
			],
			([, nodes], { home }) => {
				expect(nodes).toContain("two pi");
				expect(existsSync(join(home, "graph.json"))).toBe(true);
			},
		);
	});

	test("Playwright's server is there without its browser, and says what is missing", async () => {
		const path = "/no/such/chromium";
		await results(
			() => ({ web: program(playwright, ["--headless", "--executable-path", path]) }),
			[
				["search_tools", { query: "navigate to a url" }],
				["mcp_web_browser_navigate", { url: "about:blank" }],
			],
			([found, page]) => {
				expect(found).toContain("mcp_web_browser_navigate");
				expect(page).toContain('"is_error":true');
				expect(page).toContain(path);
			},
		);
	});

	test("all of them together add one tool to the first request", async () => {
		await results(
			({ project }) => ({
				all: program(everything),
				files: program(filesystem, [project]),
				memory: program(memory),
				web: program(playwright, ["--headless"]),
			}),
			[["search_tools", { query: "add two numbers" }]],
			([found], tau) => {
				expect(found).toContain("mcp_all_get_sum");
				expect(toolNames(tau, 0).filter((name) => name.startsWith("mcp_"))).toEqual([]);
			},
		);
	});
});
