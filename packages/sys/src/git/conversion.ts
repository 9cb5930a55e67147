/** Whether git may convert contents on their way between its objects and the work tree (line ends, filters, encodings). */
import { join, resolve } from "node:path";

import { limits } from "../limits.ts";
import { readSmallFileSync } from "../small-file.ts";

const attribute = /(?:^|\s)(?:filter|ident|eol|text|crlf|working-tree-encoding)(?=[=\s]|$)/m;
/** What an included file says is not known. */
const setting =
	/^\s*(?:\[include|autocrlf\b(?!\s*=\s*(?:false|no|off|0)\b)|attributesfile\b|eol\s*=\s*crlf)/im;

/** Whether a file of attributes converts anything. */
export function isConverting(attributesFile: string): boolean {
	return attribute.test(textAt(attributesFile));
}

/** Whether the settings of a repository or of the user do; the attributes in its work tree are not looked at. */
export function convertsContents(gitDir: string, home: string | undefined): boolean {
	const common = textAt(join(gitDir, "commondir")).trim();
	const shared = common === "" ? gitDir : resolve(gitDir, common);
	const user = home === undefined ? [] : [join(home, ".config/git")];
	return (
		[join(shared, "info"), ...user, "/etc"].some((directory) =>
			isConverting(join(directory, directory === "/etc" ? "gitattributes" : "attributes")),
		) ||
		[
			join(shared, "config"),
			join(gitDir, "config.worktree"),
			...user.map((directory) => join(directory, "config")),
			...(home === undefined ? [] : [join(home, ".gitconfig")]),
			"/etc/gitconfig",
		].some((path) => setting.test(textAt(path)))
	);
}

function textAt(path: string): string {
	return readSmallFileSync(path, limits.gitSettingsBytes)?.toString() ?? "";
}
