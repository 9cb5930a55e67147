/** Rules and texts for the benchmark of stream rules. */

export interface Sample {
	/** Each returns a unique condition. */
	shapes: readonly ((n: number) => string)[];
	/** A part of an answer, which is repeated. */
	text: string;
}

const prose =
	"The parser reads each line once, keeps what is finished and lays out the open block; see layout.ts.\n";
const code =
	"export function settle(rows: readonly string[]): string[] { return rows.map((row) => row.trim()); }\n";

/** Rules whose words hardly ever occur. */
const rare: Sample = {
	shapes: [
		(n) => `legacyCall${n}\\(`,
		(n) => `import .* from ['"]package-${n}['"]`,
		(n) => `(?i)\\bdeprecated${n}\\b`,
		(n) => `new Thing${n}\\([^)]*\\)(?!;)`,
		// The word of one occurs in the text, so that it is evaluated.
		(n) => (n === 4 ? `settle\\(\\d` : `(?:old|former)Helper${n}`),
	],
	text: `${prose}${code}\n`,
};

/** Typical rules, over code and prose with long lines in which some of their words occur. */
const mixed: Sample = {
	shapes: [
		(n) => `from ['"]lodash${n}['"]`,
		(n) => `\\bconsole${n}\\.(?:log|debug)\\(`,
		(n) => `\\bas any${n}\\b`,
		(n) => `(?i)\\btodo${n}\\b`,
		(n) => `catch\\s*\\([^)]*\\)\\s*\\{\\s*\\} // ${n}`,
		(n) => `git push\\s+.*--force${n}`,
		(n) => `import .* from ['"]package-${n}['"]`,
		(n) => `new Thing${n}\\([^)]*\\)(?!;)`,
		(n) => `(?:old|former)Helper${n}`,
		(n) => `legacyCall${n}\\(`,
		(n) => `@ts-(?:ignore|nocheck)${n}`,
		(n) => `eslint-disable.*rule-${n}`,
		(n) => `\\.(?:skip|only)${n}\\(`,
		(n) => `process\\.env\\.[A-Z_]+${n}`,
		(n) => `\\w+\\.innerHTML${n}\\s*=`,
		(n) => `function\\s+\\w+Old${n}\\(`,
		(n) => `(?:var|let)\\s+\\w+${n}\\s*=\\s*require`,
		(n) => `https?://\\S+example${n}\\.com`,
		(n) => `^\\s*print${n}\\(`,
		(n) => `.*FIXME${n}`,
	],
	text: `${prose}${code}import { readFile } from "node:fs/promises";

let pending = 0;
for (const entry of entries) {
	try {
		const text = await readFile(join(process.env.HOME ?? "", entry.name), "utf8");
		console.warn(entry.name, text.length);
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		pending += 1;
	}
}

The function above reads every file once. ${prose.trim().repeat(6)} It was found at https://example.org/a/long/path?with=a&query=string, and the old helper is still there for those who import it from the package by its former name.
`,
};

export const samples: Readonly<Record<string, Sample>> = { rare, mixed };
