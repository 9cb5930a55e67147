/**
 * Which settings of git a command may write: lines as git itself writes them, of settings that run no program, with values that every
 * version reads alike. All else goes, so that a file which is left means to git what was judged here: it has no quotes but those around
 * names, no escapes, comments or continued lines.
 */
import { textOf } from "./git-directories.ts";

export interface SettingsRules {
	/** Whether a work tree may be there. */
	isWorkTree(path: string): boolean;
	/** Whether a path of this machine may be a remote repository. */
	isLocalRemote(path: string): boolean;
}

/** The user's own lines by the line above them that begins their section. They are strings of bytes (latin1). */
export type OwnSettings = ReadonlyMap<string, ReadonlySet<string>>;

export function ownSettings(bytes: Buffer): OwnSettings {
	const own = new Map<string, Set<string>>();
	for (const { header, lines } of sectionsOf(bytes))
		own.set(header, new Set([...(own.get(header) ?? []), ...lines]));
	return own;
}

/** The paths of this machine that settings of a command name as remotes, where nothing else is left in them. */
export function localRemotes(bytes: Buffer | undefined): string[] {
	const settings = sectionsOf(bytes ?? Buffer.alloc(0)).flatMap(({ lines }) => lines.map(settingOf));
	return settings
		.flatMap((setting) => (/^(?:push)?url$/.test(setting?.key ?? "") ? (setting?.value ?? "") : []))
		.flatMap((value) => pathOf(value) ?? []);
}

/** Undefined if nothing has to go. `isShared`: not of one worktree alone. */
export function reducedSettings(
	bytes: Buffer,
	isShared: boolean,
	rules: SettingsRules,
	own: OwnSettings = new Map(),
): Buffer | undefined {
	const sections = sectionsOf(bytes);
	const all = isShared ? shared : ofWorkTree;
	const remotes = new Set(["."]);
	const isKept = ({ header }: Section, line: string): boolean => {
		if (own.get(header)?.has(line) === true) return true;
		const named = namedBy(header);
		const known = named && all.get(named.of === undefined ? named.name : `${named.name} *`);
		if (named === undefined || known === undefined) return false;
		if (line === header) return true;
		const setting = settingOf(line);
		const isHarmless = setting && known.get(setting.key);
		return isHarmless?.(setting?.value ?? "", { ...rules, remotes }) === true;
	};
	// A branch may name a remote that is described below it.
	for (const section of sections) {
		const isUrl = (line: string): boolean => settingOf(line)?.key === "url" && isKept(section, line);
		const { name, of = "" } = namedBy(section.header) ?? {};
		if (name === "remote" && section.lines.some(isUrl)) remotes.add(of);
	}
	const kept = sections.flatMap((section) => section.lines.filter((line) => isKept(section, line)));
	const size = sections.reduce((sum, { lines }) => sum + lines.length, 0);
	return kept.length === size ? undefined : Buffer.from(kept.map((line) => `${line}\n`).join(""), "latin1");
}

interface Section {
	readonly header: string;
	/** The header is the first one. */
	readonly lines: string[];
}

/** Without empty lines. One that ends with a backslash continues in the next. */
function sectionsOf(bytes: Buffer): Section[] {
	const sections: Section[] = [{ header: "", lines: [] }];
	for (const line of bytes.toString("latin1").match(/(?:\\[^]|\\$|[^\\\n])+/g) ?? [])
		if (/^[ \t\r]*\[/.test(line)) sections.push({ header: line, lines: [line] });
		else sections.at(-1)?.lines.push(line);
	return sections;
}

/** No control or format characters, no white space but single blanks, and nothing that means something to git. */
const plain = String.raw`(?:[^\p{C}\p{Z}"\\#;]| (?=[^\p{Z}]))`;
const pathName = String.raw`(?!\.\.?(?:/|$))(?:[^\p{C}\p{Z}"\\#;:/]| (?=[^\p{Z}]))+`;
const reference = String.raw`refs/(?!\S*\.\.)[^\p{C}\p{Z}"\\#;:~^?[]+`;

function namedBy(header: string): { readonly name: string; readonly of?: string } | undefined {
	const [, name, of] = headerLine.exec(decoded(header)) ?? [];
	return name === undefined ? undefined : { name: name.toLowerCase(), ...(of === undefined ? {} : { of }) };
}

const headerLine = new RegExp(String.raw`^\[([A-Za-z]+)(?: "(${plain}+)")?\]$`, "u");

function settingOf(line: string): { readonly key: string; readonly value: string } | undefined {
	const [, key, value = ""] = settingLine.exec(decoded(line)) ?? [];
	return key === undefined ? undefined : { key: key.toLowerCase(), value };
}

const settingLine = new RegExp(String.raw`^[ \t]*([A-Za-z][A-Za-z0-9]*)[ \t]*=[ \t]*(${plain}+)$`, "u");

/** Empty, which is no line of ours, if the bytes are no text. */
function decoded(line: string): string {
	return textOf(Buffer.from(line, "latin1")) ?? "";
}

interface Judged extends SettingsRules {
	/** The names of the remotes that the file describes. */
	readonly remotes: ReadonlySet<string>;
}

type Rule = (value: string, rules: Judged) => boolean;

const matches = (pattern: string): Rule => {
	const whole = new RegExp(`^(?:${pattern})$`, "u");
	return (value) => whole.test(value);
};
const flag = matches("true|false|yes|no|on|off|[01]");

const network = matches(
	String.raw`(?:https?|git|ssh|git\+ssh|ssh\+git|ftps?)://(?:[\w.%+~][\w.%+~:-]*@)?(?:[A-Za-z0-9][\w.-]*|\[[\da-fA-F:.]+\])(?::\d+)?(?:/${plain}*)?|(?:[\w.+][\w.+-]*@)?[A-Za-z0-9][\w.-]*:(?![:-]|//)${plain}+`,
);
const localPath = new RegExp(`^(?![~-])/?(?:(?:\\.\\.?|${pathName})/+)*(?:\\.\\.?|${pathName})?$`, "u");

/** Of a remote: a host, or a path. Nothing that names another helper of git, or is another path after it is decoded. */
const address: Rule = (value, rules) => {
	const path = pathOf(value);
	return network(value, rules) || (path !== undefined && rules.isLocalRemote(path));
};

/** Undefined for what is no path of this machine. */
function pathOf(value: string): string | undefined {
	const path = /^file:\/\/(?=\/)([^%]*)$/.exec(value)?.[1] ?? value;
	return localPath.test(path) ? path : undefined;
}

/** By the section: the settings with their values. With a star, those of sections with a name. */
const shared = tableOf({
	core: {
		repositoryformatversion: matches("[01]"),
		filemode: flag,
		bare: flag,
		logallrefupdates: matches("true|false|always"),
		ignorecase: flag,
		precomposeunicode: flag,
		symlinks: flag,
		autocrlf: matches("true|false|input"),
		eol: matches("lf|crlf|native"),
		sparsecheckout: flag,
		sparsecheckoutcone: flag,
		worktree: (value, { isWorkTree }) => submodulePath.test(value) && isWorkTree(value),
	},
	extensions: {
		objectformat: matches("sha1|sha256"),
		refstorage: matches("files|reftable"),
		worktreeconfig: flag,
	},
	user: { name: matches(`${plain}+`), email: matches(`${plain}+`) },
	init: { defaultbranch: matches(String.raw`[\w][\w./-]*`) },
	"remote *": { url: address, pushurl: address, fetch: matches(`\\+?${reference}(?::${reference})?`) },
	"branch *": {
		remote: (value, { remotes }) => remotes.has(value),
		merge: matches(reference),
		rebase: matches("true|false|merges"),
	},
	"submodule *": { active: flag, url: address },
	pull: { rebase: matches("true|false|merges"), ff: matches("true|false|only") },
	push: {
		default: matches("nothing|current|upstream|tracking|simple|matching"),
		autosetupremote: flag,
	},
	commit: { gpgsign: flag },
	rerere: { enabled: flag, autoupdate: flag },
});

/** What git writes where a part of the project is checked out. A remote there would be another one than the user sees. */
const ofWorkTree = tableOf({
	core: { sparsecheckout: flag, sparsecheckoutcone: flag },
	index: { sparse: flag },
});

const submodulePath = new RegExp(`^(?:\\.\\./)+(?:${pathName}/)*${pathName}$`, "u");

/** Not objects: a command may name what all of them have. */
function tableOf(table: Readonly<Record<string, Readonly<Record<string, Rule>>>>) {
	return new Map(
		Object.entries(table).map(([section, rules]) => [section, new Map(Object.entries(rules))] as const),
	);
}
