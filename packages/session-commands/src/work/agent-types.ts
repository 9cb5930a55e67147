/** Creates and edits types of agents: Markdown files with frontmatter, in the project or for all projects. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { UserError } from "@tau/session/run";
import type { AgentType } from "@tau/tools/task";
import { dirs, shortenHome } from "@tau/utils";

import type { CommandReply } from "@tau/wire";

import { reply, type CommandTarget } from "../command.ts";

/** The wizard: name, purpose, place, tools, model, instructions. Nothing is written before the last answer. */
export async function createType(target: CommandTarget): Promise<CommandReply> {
	const { ask } = target;
	const name = await ask.input("Name of the agent", { placeholder: "test-writer" });
	if (name === undefined || name.trim() === "") return {};
	if (!/^[\w-]+$/.test(name.trim())) throw new UserError("A name has letters, digits, - and _ only.");
	const description = await ask.input("When is it to be used?", {
		placeholder: "writes tests for code that has none",
	});
	if (description === undefined || description.trim() === "") return {};
	const place = await ask.select("Where is it stored?", [
		{ value: "project", label: "This project", description: ".tau/agents" },
		{ value: "user", label: "All projects", description: shortenHome(join(dirs().agent, "agents")) },
	]);
	if (place === undefined) return {};
	const tools = await chooseTools(target);
	if (tools === undefined) return {};
	const model = await ask.input("Model (empty for the session's)", { placeholder: "tau/smol" });
	if (model === undefined) return {};
	const prompt = await ask.editor("Instructions", { initial: `Your work: ${description.trim()}.` });
	if (prompt === undefined) return {};
	const directory = place === "project" ? join(target.cwd, ".tau/agents") : join(dirs().agent, "agents");
	const path = join(directory, `${name.trim()}.md`);
	if (existsSync(path))
		throw new UserError(`${shortenHome(path)} exists already. Edit it with /agents types.`);
	write(
		path,
		typeText({ name: name.trim(), description: description.trim(), tools, model: model.trim() }, prompt),
	);
	await target.reload();
	return { ...reply(`Created ${shortenHome(path)}.`, "success"), data: { path } };
}

async function chooseTools({ ask, host: { session } }: CommandTarget): Promise<string[] | undefined> {
	const reading = session.state.tools.filter(({ approval }) => approval === "read").map(({ name }) => name);
	const choice = await ask.select("Which tools may it use?", [
		{ value: "all", label: "All", description: "those of the session" },
		{ value: "read", label: "Read only", description: reading.join(", ") },
		{ value: "list", label: "Choose", description: "names, separated by commas" },
	]);
	if (choice === undefined) return undefined;
	if (choice === "all") return [];
	if (choice === "read") return reading;
	const all = session.state.tools.map(({ name }) => name).join(", ");
	const names = await ask.input("Tools", { initial: all });
	return names
		?.split(",")
		.map((each) => each.trim())
		.filter(Boolean);
}

/**
 * A built-in type, or one of another program, is copied first: Tau's own files take precedence, and nothing is written
 * into the directories of others.
 */
export async function editType(target: CommandTarget, type: AgentType): Promise<CommandReply> {
	const own = [join(target.cwd, ".tau"), dirs().agent];
	const isOwn = own.some((directory) => type.path?.startsWith(`${directory}/`));
	const [project = "", user = ""] = own.map((directory) => join(directory, "agents", `${type.name}.md`));
	const isOfProject = type.path?.startsWith(`${target.cwd}/`) ?? false;
	const path = isOwn && type.path !== undefined ? type.path : isOfProject ? project : user;
	const before = type.path === undefined ? textOf(type) : await Bun.file(type.path).text();
	const text = await target.ask.editor(shortenHome(path), { initial: before });
	if (text === undefined || text === before) return {};
	write(path, text);
	await target.reload();
	return reply(`Saved ${shortenHome(path)}.`, "success");
}

function write(path: string, text: string): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text.endsWith("\n") ? text : `${text}\n`);
}

function textOf({ prompt, spawns, ...type }: AgentType): string {
	const { name, description, tools = [], model = "", thinking, output } = type;
	const more = [
		...(thinking === undefined ? [] : [`thinking: ${thinking}`]),
		...(spawns.length === 0 ? [] : [`spawns: ${JSON.stringify(spawns)}`]),
		...(output === undefined ? [] : [`output: ${JSON.stringify(output)}`]),
	];
	return typeText({ name, description, tools: [...tools], model, more }, prompt);
}

interface TypeFields {
	name: string;
	description: string;
	tools: readonly string[];
	model: string;
	/** Further lines of the frontmatter. */
	more?: readonly string[];
}

function typeText({ name, description, tools, model, more = [] }: TypeFields, prompt: string): string {
	const fields = [
		`name: ${JSON.stringify(name)}`,
		`description: ${JSON.stringify(description)}`,
		...(tools.length > 0 ? [`tools: ${tools.join(", ")}`] : []),
		...(model === "" ? [] : [`model: ${JSON.stringify(model)}`]),
		...more,
	];
	return `---\n${fields.join("\n")}\n---\n\n${prompt.trim()}\n`;
}
