/** The system prompt and the tools of a run, as handlers of `before_agent_start` leave them. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const on = (event: string, body: string): string => `export default (pi) => pi.on("${event}", ${body});`;

test("before_agent_start: each handler sees the prompt that the one before left, for this run only", async () => {
	const add = (text: string): string =>
		on(
			"before_agent_start",
			`(event, ctx) => ({ systemPrompt: event.systemPrompt + "${text}" + (ctx.getSystemPrompt() === event.systemPrompt) })`,
		);
	await using fixture = await extensionFixture(
		{ steps: ["Ok."] },
		{
			files: {
				"a.ts": add(" A "),
				"b.ts": add(" B "),
				"c.ts": on("before_agent_start", "() => { throw new Error('no'); }"),
			},
		},
	);
	const { systemPrompt } = fixture.session.state;
	await fixture.prompt("go");
	expect(fixture.request(0)).toContain(" A true B true");
	expect(fixture.session.state.systemPrompt).toBe(systemPrompt);
	expect(fixture.events.filter(({ type }) => type === "extension_error")).toHaveLength(1);
});

test("before_agent_start: sections that handlers set follow the prompt of this run in tags of their own", async () => {
	const set = (code: string): string =>
		on("before_agent_start", `({ systemPromptOptions: options }) => { ${code} }`);
	await using fixture = await extensionFixture(
		{ steps: ["Ok."] },
		{
			files: {
				"a.ts": set(`options.sections.house_rules = "Be kind.";`),
				"b.ts": set(
					`options.sections.seen = Object.keys(options.sections).join(); options.sections["<bad>"] = "x"; options.sections.number = 5;`,
				),
			},
		},
	);
	const { systemPrompt } = fixture.session.state;
	await fixture.prompt("go");
	const { body } = fixture.played.requests[0] ?? {};
	expect(body).toMatchObject({
		system: [
			{
				text: `${systemPrompt}\n\n<house_rules>\nBe kind.\n</house_rules>\n\n<seen>\nhouse_rules\n</seen>`,
			},
		],
	});
	expect(fixture.session.state.systemPrompt).toBe(systemPrompt);
});

test("before_agent_start: changed prompt options take effect in this run", async () => {
	const tool = `pi.registerTool({ name: "dig", label: "Dig", description: "digs", promptSnippet: "digs holes", promptGuidelines: ["Dig carefully."], parameters: { type: "object", properties: {} }, execute() {} });`;
	const change = `export default (pi) => { ${tool}
		pi.on("before_agent_start", ({ systemPromptOptions: options }) => {
			options.appendSystemPrompt = "Appended.";
			options.promptGuidelines.push("Be brief with " + options.selectedTools.length + " tools.");
			options.toolGuidelines.dig = ["Never at night."];
			options.hiddenTools.push("dig");
			options.contextFiles = [{ path: "/x/RULES.md", content: "House rules." }];
			options.skills = [{ name: "paint", description: "paints", filePath: "/x/paint/SKILL.md" }];
		});
	};`;
	const add = on("before_agent_start", `({ systemPrompt }) => ({ systemPrompt: systemPrompt + " More." })`);
	const last = on(
		"before_agent_start",
		`({ systemPromptOptions: options }) => { options.customPrompt = "You are a painter."; }`,
	);
	await using fixture = await extensionFixture(
		{ steps: ["Ok."] },
		{ files: { "a.ts": change, "b.ts": add, "c.ts": last } },
	);
	const { systemPrompt } = fixture.session.state;
	await fixture.prompt("go");
	const body = fixture.played.requests[0]?.body as { system: { text: string }[] } | undefined;
	const text = body?.system[0]?.text ?? "";
	expect(text).toStartWith("You are a painter.\n\nAppended.");
	for (const part of ["House rules.", "- paint (/x/paint/SKILL.md): paints", " More."])
		expect(text).toContain(part);
	expect(text).not.toContain("digs holes");
	expect(fixture.session.state.systemPrompt).toBe(systemPrompt);
	expect(systemPrompt).toContain("digs holes");
});

test("before_agent_start: selected tools are those of this run, and active ones of all that follow", async () => {
	const tool = (name: string, more = ""): string =>
		`pi.registerTool({ name: "${name}", label: "${name}", description: "${name}s", promptSnippet: "${name}s holes", promptGuidelines: ["${name} carefully."], parameters: { type: "object", properties: {} }, execute() {}${more} });`;
	const source = `export default (pi) => { ${tool("dig")} ${tool("bore", ", defaultActive: false")}
		pi.on("before_agent_start", ({ prompt, systemPromptOptions: options }) => {
			if (prompt === "select") options.selectedTools = ["read", "bore"];
			if (prompt === "activate") pi.setActiveTools(["read", "bash"]);
		});
	};`;
	await using fixture = await extensionFixture(
		{ steps: ["1", "2", "3", "4"] },
		{ files: { "a.ts": source } },
	);
	for (const prompt of ["select", "go", "activate", "go"]) await fixture.prompt(prompt);
	const asked = fixture.played.requests.map(({ body }) => {
		const { tools, system } = body as { tools: { name: string }[]; system: { text: string }[] };
		const [{ text } = { text: "" }] = system;
		const mentioned = ["dig", "bore"].filter(
			(name) => text.includes(`${name}s holes`) && text.includes(`${name} carefully`),
		);
		return { tools: tools.map(({ name }) => name).join(" "), mentioned: mentioned.join(" ") };
	});
	const active = { tools: "read bash", mentioned: "" };
	expect(asked).toEqual([
		{ tools: "read bore", mentioned: "bore" },
		{ tools: "read write bash dig", mentioned: "dig" },
		active,
		active,
	]);
});

test("a tool that orchestrates others describes them anew and hides them, and can still call them", async () => {
	const tool = (name: string, more: string): string =>
		`pi.registerTool({ name: "${name}", label: "${name}", description: "${name}s", promptSnippet: "${name}s holes", parameters: { type: "object", properties: {} }, ${more} });`;
	const source = `export default (pi) => {
		${tool("dig", 'execute: async () => ({ content: [{ type: "text", text: "dug" }] })')}
		${tool("fail", 'execute() {}, prepareLoadout() { throw new Error("no"); }')}
		${tool(
			"direct",
			`constrainedSampling: { type: "json_schema", strict: "prefer" }, execute: async (id, args, signal, onUpdate, ctx) => await ctx.executeTool("dig", {}),
			prepareLoadout: ({ declared, callable, registered, getExposure }) => ({
				descriptions: { direct: "directs " + callable.some(({ name }) => name === "dig") + " " + (declared.length <= registered.length) + " " + getExposure("dig") },
				hiddenDeclarations: ["dig"],
			})`,
		)}
	};`;
	await using fixture = await extensionFixture(
		{ steps: [callOf("direct", {}), callOf("dig", {}), "Ok."] },
		{ files: { "a.ts": source } },
	);
	await fixture.prompt("go");
	const asked = fixture.played.requests[0]?.body as
		{ tools: { name: string; description: string }[]; system: { text: string }[] } | undefined;
	expect(asked?.tools.map(({ name }) => name).join(" ")).toBe("read write bash fail direct");
	expect(asked?.tools.at(-1)?.description).toBe("directs true true direct");
	expect(asked?.system[0]?.text).toContain("fails holes");
	expect(asked?.system[0]?.text).not.toContain("digs holes");
	expect(fixture.session.tools?.get("direct")).toMatchObject({ description: "directs", strict: true });
	const results = fixture.session.state.messages.filter(({ role }) => role === "toolResult");
	expect(results).toMatchObject([{ content: [{ text: "dug" }] }, { content: [{ text: "dug" }] }]);
});

test("before_agent_start: a guideline added in place follows the others", async () => {
	const push = on(
		"before_agent_start",
		`({ systemPromptOptions: options }) => void options.promptGuidelines.push("Be brief.")`,
	);
	await using fixture = await extensionFixture({ steps: ["Ok."] }, { files: { "a.ts": push } });
	await fixture.prompt("go");
	expect(fixture.request(0)).toContain("\\n- Be brief.\\n");
});

test("before_agent_start: a handler can set the exact prompt of this run", async () => {
	const code = `({ systemPromptOptions: options }) => { options.sections.a = "b"; options.forceSystemPrompt = "Only this."; }`;
	await using fixture = await extensionFixture(
		{ steps: ["Ok."] },
		{ files: { "a.ts": on("before_agent_start", code) } },
	);
	await fixture.prompt("go");
	expect(fixture.played.requests[0]?.body).toMatchObject({ system: [{ text: "Only this." }] });
});
