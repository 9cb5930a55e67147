/** The command line is parsed as users mean it, and a typo is answered with a suggestion. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { thinkingLevels } from "@tau/ai";
import { UsageError } from "@tau/utils";
import { parseArgs, type Args } from "./args.ts";
import { otherNames } from "./command-table.ts";
import { sections, type Flag } from "./flags.ts";

function parse(...argv: string[]): Omit<Args, "flags"> & { flags: Record<string, string> } {
	const { flags, ...rest } = parseArgs(argv);
	return { ...rest, flags: Object.fromEntries(flags) };
}

function complaint(...argv: string[]): string {
	try {
		parseArgs(argv);
	} catch (error) {
		if (error instanceof UsageError) return error.message;
		throw error;
	}
	throw new Error(`nothing was wrong with ${argv.join(" ")}`);
}

describe("flags", () => {
	const good: [promise: string, argv: string[], flags: Record<string, string>][] = [
		["have long and short names", ["-p", "--version"], { print: "", version: "" }],
		["take the next word as their value", ["--model", "a/b"], { model: "a/b" }],
		["take a value after =", ["--model=a/b"], { model: "a/b" }],
		["take a value that contains =", ["--system-prompt=a=b"], { "system-prompt": "a=b" }],
		[
			"take a value that starts with a dash",
			["--system-prompt", "- be brief"],
			{ "system-prompt": "- be brief" },
		],
		["take a value that looks like a flag after =", ["--system-prompt=-p"], { "system-prompt": "-p" }],
		["have their last value", ["--model", "a", "--model", "b"], { model: "b" }],
		["stand anywhere", ["say", "--mode", "json", "hi"], { mode: "json" }],
		[
			"have the short names that pi gives them",
			["-nt", "-ne", "-ns", "-np", "-nc", "-nbt", "-xt", "bash", "-t", "read", "-n", "work"],
			{
				"no-tools": "",
				"no-extensions": "",
				"no-skills": "",
				"no-prompt-templates": "",
				"no-context-files": "",
				"no-builtin-tools": "",
				"exclude-tools": "bash",
				tools: "read",
				name: "work",
			},
		],
		["have pi's highest level", ["--thinking", "max"], { thinking: "max" }],
		["may have another name for the same", ["-a"], { trust: "" }],
		["may take a value that starts with a minus", ["-t", "-bash"], { tools: "-bash" }],
		[
			"may empty a prompt",
			["--system-prompt", "", "--append-system-prompt="],
			{ "system-prompt": "", "append-system-prompt": "" },
		],
	];
	test.each(good)("%s", (_, argv, flags) => {
		expect(parse(...argv).flags).toEqual(flags);
	});

	const bad: [promise: string, argv: string[], message: string][] = [
		[
			"an unknown one suggests the near ones",
			["--modle", "x"],
			"Unknown flag --modle. Did you mean --model or --mode?",
		],
		[
			"an unfinished one suggests the whole",
			["--append"],
			"Unknown flag --append. Did you mean --append-system-prompt?",
		],
		["one dash too few is noticed", ["-model", "x"], "Unknown flag -model. Did you mean --model"],
		["one like no other points to the help", ["--frobnicate"], "Unknown flag --frobnicate. See tau --help."],
		[
			"a key after an unknown flag is not repeated",
			["--apikey=sk-1234"],
			"Unknown flag --apikey. Did you mean --api-key?",
		],
		[
			"one of pi's without an effect here says why",
			["--tui-mode", "regular"],
			"--tui-mode: Tau always draws into the terminal's own scrollback",
		],
		[
			"a prompt that starts with a dash gets the way to send it",
			["-p", "- a dash prompt"],
			'"- a dash prompt" starts with a dash. Put -- before a prompt like this.',
		],
		["a missing value is required", ["--model"], "--model needs a value: --model <model>"],
		["a flag is not taken for a value", ["--model", "-p", "hi"], "--model needs a value: --model <model>"],
		["an empty value is a missing one", ["--api-key", ""], "--api-key needs a value: --api-key <key>"],
		[
			"an empty value after = as well",
			["--session-dir="],
			"--session-dir needs a value: --session-dir <dir>",
		],
		[
			"a wrong choice lists the right ones",
			["--mode", "xml"],
			'--mode cannot be "xml". Choose one of: text, json',
		],
		["a switch takes no value", ["--print=yes"], "--print takes no value."],
		["a short switch neither", ["-p=yes"], "-p takes no value."],
	];
	test.each(bad)("%s", (_, argv, message) => {
		expect(complaint(...argv)).toStartWith(message);
	});

	test("repeated flags are all kept, in order, and single ones have their last value", () => {
		const { flags, repeated } = parseArgs(["--config", "a", "say", "--config=b"]);
		expect(flags.get("config")).toBe("b");
		expect(repeated?.get("config")).toEqual(["a", "b"]);
		expect(parseArgs(["--model", "a", "--model", "b"]).repeated).toBeUndefined();
	});

	test("the thinking levels are those of models", () => {
		const all: readonly Flag[] = sections.flatMap((section): readonly Flag[] => section.flags);
		expect(all.find(({ name }) => name === "thinking")?.choices).toEqual(thinkingLevels);
	});
});

describe("words", () => {
	const cases: [promise: string, argv: string[], messages: string[], files: string[]][] = [
		["are the prompt, in order", ["fix", "the bug"], ["fix", "the bug"], []],
		["with an @ are files", ["@a.ts", "explain", "@b/c.png"], ["explain"], ["a.ts", "b/c.png"]],
		["of one @ or one dash are text", ["@", "-"], ["@", "-"], []],
		["after -- are never flags", ["--", "-p", "is a flag"], ["-p", "is a flag"], []],
		["after -- are never files", ["--", "@me"], ["@me"], []],
		["after -- are never commands", ["--", "help"], ["help"], []],
		["after -- may be another --", ["--", "--"], ["--"], []],
		["that are empty are dropped", ["", "hi", "--", ""], ["hi"], []],
		["may be missing", [], [], []],
	];
	test.each(cases)("%s", (_, argv, messages, files) => {
		expect(parse(...argv)).toEqual({ flags: {}, messages, files, operands: [] });
	});
});

describe("commands", () => {
	test.each(["help", "version", "login", "logout", "auth", "config"])("%s alone is one", (word) => {
		expect(parse(word)).toEqual({ flags: {}, command: word, messages: [], files: [], operands: [] });
	});

	const followed: [argv: string[], command: string, operands: string[], flags: Record<string, string>][] = [
		[["login", "anthropic"], "login", ["anthropic"], {}],
		[["logout", "my.proxy-2"], "logout", ["my.proxy-2"], {}],
		[["auth", "status"], "auth", ["status"], {}],
		[["--mode", "json", "auth", "status"], "auth", ["status"], { mode: "json" }],
		[["auth", "status", "--mode=json"], "auth", ["status"], { mode: "json" }],
		[["login", "anthropic", "--api-key"], "login", ["anthropic"], { "api-key": "" }],
		[["login", "--api-key", "anthropic"], "login", ["anthropic"], { "api-key": "" }],
		[["login", "--help"], "login", [], { help: "" }],
		[["config", "get", "retry.enabled"], "config", ["get", "retry.enabled"], {}],
		[["config", "set", "a.b", "x y"], "config", ["set", "a.b", "x y"], {}],
		[["config", "unset", "a", "--project"], "config", ["unset", "a"], { project: "" }],
		[["install", "npm:@me/x@1.0", "./y"], "install", ["npm:@me/x@1.0", "./y"], {}],
		[["install", "-l", "git:github.com/a/b"], "install", ["git:github.com/a/b"], { local: "" }],
		[["remove", "npm:x"], "remove", ["npm:x"], {}],
		[["remove", "@me/x", "y"], "remove", ["@me/x", "y"], {}],
		[["uninstall", "x"], "uninstall", ["x"], {}],
		[["update", "x"], "update", ["x"], {}],
		[["help", "login"], "help", ["login"], {}],
		[["update"], "update", [], {}],
		[["list", "--json"], "list", [], { json: "" }],
		[["plugin", "install", "@me/x[a,b]"], "plugin", ["install", "@me/x[a,b]"], {}],
		[["plugin", "features", "x", "--set", ""], "plugin", ["features", "x"], { set: "" }],
	];
	test.each(followed)("%j is parsed with its operands and flags", (argv, command, operands, flags) => {
		expect(parse(...argv)).toEqual({ flags, command, operands, messages: [], files: [] });
	});

	const wrong: [promise: string, argv: string[], message: string][] = [
		["an unsupported flag is named", ["login", "--model", "x"], "tau login does not take --model."],
		[
			"a key is not taken from the command line",
			["login", "a", "--api-key", "sk-123"],
			'tau login does not take these arguments. Usage: tau login [provider] [--api-key]. To send it as a prompt: tau -p "login …"',
		],
		["not with = either", ["login", "a", "--api-key=sk-123"], "--api-key takes no value."],
		[
			"a typo before another word is a typo",
			["logn", "anthropic"],
			'Unknown command "logn". Did you mean login? To send it as a prompt: tau -p "logn anthropic"',
		],
		[
			"a slip after it too",
			["auth", "staus"],
			'Unknown status "staus". Did you mean status? To send it as a prompt: tau -p "auth staus"',
		],
		[
			"a typo before several words too",
			["confg", "set", "a", "b"],
			'Unknown command "confg". Did you mean config? To send it as a prompt: tau -p "confg set a b"',
		],
		[
			"a word that is not one of its actions is no prompt",
			["sessions", "nope"],
			'Unknown command: tau sessions nope. Choose one of: list, show, rm, export, import, restore, doctor, gc. To send it as a prompt: tau -p "sessions …"',
		],
		[
			"its own flag with an unknown action is no prompt",
			["login", "no", "name", "--api-key"],
			'tau login does not take these arguments. Usage: tau login [provider] [--api-key]. To send it as a prompt: tau -p "login …"',
		],
	];
	test.each(wrong)("%s", (_, argv, message) => {
		expect(complaint(...argv)).toBe(message);
		expect(complaint(...argv)).not.toContain("sk-123");
	});

	const prompts: [promise: string, argv: string[]][] = [
		["with -p it is a prompt", ["-p", "help"]],
		["with -p behind it too", ["remove", "x", "-p"]],
		["after -- it is a prompt", ["--", "remove", "x"]],
		["after a file it is a prompt", ["@main.ts", "help"]],
		["a slip with -p is a prompt", ["-p", "hlep"]],
		["a greeting is a prompt", ["hello"]],
		["a word that only resembles one is a prompt", ["section"]],
		["a sentence is a prompt", ["help!"]],
		["a sentence in quotes that starts with one is a prompt", ["login page is broken"]],
		["a command name later in a prompt is part of it", ["please", "help", "me"]],
		["a planned one with -p is a prompt", ["-p", "commit", "this"]],
	];
	test.each(prompts)("%s", (_, argv) => {
		expect(parse(...argv)).not.toHaveProperty("command");
	});

	const notPrompts = [
		["help", "me", "please"],
		["help", "@main.ts"],
		["login", "page", "is", "broken"],
		["login", "works?"],
		["auth", "flow"],
		["auth", "x"],
		["sessions", "crash", "often"],
		["config", "path", "is wrong"],
		["config", "set", "up", "the", "server"],
		["install", "the", "dependencies"],
		["install", "@me/x"],
		["list", "all", "files"],
		["version", "two"],
		["doctor", "who"],
	];
	test.each(notPrompts)("%s %s: with other words it is an error, not a prompt", (...argv) => {
		expect(complaint(...argv)).toContain(`To send it as a prompt: tau -p "${argv[0]} …"`);
	});

	test.each([...otherNames])("%s is reserved, and is no prompt", (word, why) => {
		const answer = `tau ${word} ${why}. To send it as a prompt: tau -p "${word} …"`;
		expect(complaint(word)).toBe(answer);
		expect(complaint(word, "all", "of", "it")).toBe(answer);
	});

	test("the value of an extension's flag is not taken for a command", () => {
		for (const value of ["help", "commit"])
			expect(parseArgs(["--theirs", value], { isLenient: true })).toMatchObject({ messages: [value] });
		expect(parseArgs(["--theirs", "x", "remove", "y"], { isLenient: true })).not.toHaveProperty("command");
	});

	test.each(["hlep", "hepl", "hel", "helpp", "halp", "Help"])("%s suggests help", (word) => {
		expect(complaint(word)).toBe(
			`Unknown command "${word}". Did you mean help? To send it as a prompt: tau -p ${word}`,
		);
	});
});

test("property: any command line is parsed or explained in one line", () => {
	const word = fc.oneof(
		fc.string(),
		fc.constantFrom("-p", "--", "--model", "--mode=json", "@f", "help", "=", "login", "auth", "--api-key"),
	);
	fc.assert(
		fc.property(fc.array(word), (argv) => {
			try {
				const { messages, files } = parseArgs(argv);
				for (const text of [...messages, ...files]) expect(text).not.toBe("");
			} catch (error) {
				expect(error).toBeInstanceOf(UsageError);
			}
		}),
	);
});

test("with -p, a command is a prompt unless its words cannot be one", () => {
	expect(parseArgs(["replay", "the game", "-p"])).toMatchObject({ messages: ["replay", "the game"] });
	expect(parseArgs(["-p", "replay", "a.cassette"])).toMatchObject({ messages: ["replay", "a.cassette"] });
	const forked = parseArgs(["replay", "a.cassette", "--fork", "2", "-p", "again"]);
	expect(forked).toMatchObject({ command: "replay", operands: ["a.cassette", "again"], messages: [] });
});
