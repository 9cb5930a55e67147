/** Reads the JUnit report of `bun test`: which tests of which file have passed, failed or been skipped. */

export interface TestCase {
	file: string;
	/** With the names of its groups: `group > test`. */
	name: string;
	outcome: "passed" | "failed" | "skipped";
	/** Where the test stands. A failure without one is no test: a hook that threw, or a process that died. */
	line?: number;
	/** Of errors outside of a test: the lines of the file that threw them. 0 is unknown. */
	thrownAt?: readonly number[];
	/** Message and stack of the failure. */
	error?: string;
}

export interface FileReport {
	cases: TestCase[];
	ms: number;
}

export interface Counts {
	passed: number;
	failed: number;
	skipped: number;
	/** Failed in one run and passed in the other. */
	flaky: number;
}

// A value may contain ">", so that a tag does not end at the first one.
const tags = /<(\/?)(testsuite|testcase|failure|error|skipped)\b((?:[^"'>]|"[^"]*"|'[^']*')*?)(\/?)>/g;

/** The reports by file. A file that could not be loaded has none. */
export function readReport(xml: string): Map<string, FileReport> {
	const files = new Map<string, FileReport>();
	const groups: string[] = [];
	let test: TestCase | undefined;
	for (const match of xml.matchAll(tags)) {
		const [whole, closes, tag, attributes = "", isEmpty] = match;
		if (tag === "testsuite") {
			if (closes) groups.pop();
			else enterSuite(attributes, groups, files);
			if (isEmpty) groups.pop();
		} else if (tag === "testcase" && !closes) {
			test = readCase(attributes, groups.slice(1));
			files.get(groups[0] ?? "")?.cases.push(test);
		} else if (test && !closes) {
			test.outcome = tag === "skipped" ? "skipped" : "failed";
			const end = xml.indexOf("</", match.index);
			const text = isEmpty ? "" : xml.slice(match.index + whole.length, end);
			if (tag !== "skipped") test.error = unescape(text) || (read(attributes, "message") ?? "");
		}
	}
	return files;
}

/** The outermost suite is the file. */
function enterSuite(attributes: string, groups: string[], files: Map<string, FileReport>): void {
	const name = read(attributes, "name") ?? "";
	if (groups.length === 0) files.set(name, { cases: [], ms: Number(read(attributes, "time") ?? 0) * 1000 });
	groups.push(name);
}

function readCase(attributes: string, groups: readonly string[]): TestCase {
	const line = read(attributes, "line");
	return {
		file: read(attributes, "file") ?? "",
		name: [...groups, read(attributes, "name") ?? ""].join(" > "),
		outcome: "passed",
		...(line !== undefined && { line: Number(line) }),
	};
}

function read(attributes: string, name: string): string | undefined {
	const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1];
	return value === undefined ? undefined : unescape(value);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function unescape(text: string): string {
	return text.replaceAll(/&(#x?[\da-f]+|\w+);/gi, (whole, name: string) => {
		if (!name.startsWith("#")) return entities[name] ?? whole;
		const isHex = name[1]?.toLowerCase() === "x";
		return String.fromCodePoint(isHex ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
	});
}

export function countTests(cases: Iterable<TestCase>): Counts {
	const counts: Counts = { passed: 0, failed: 0, skipped: 0, flaky: 0 };
	for (const { outcome } of cases) counts[outcome]++;
	return counts;
}
