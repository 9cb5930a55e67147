/** Never trusts a project in a downloads folder, whatever was stored before; --trust overrides it. */
import { sep } from "node:path";

import type { ExtensionAPI } from "@tau/coding-agent";

export default function strictProjects(pi: ExtensionAPI) {
	pi.on("project_trust", ({ cwd }) => {
		const isDownload = cwd.split(sep).some((name) => /^(?:downloads?|tmp)$/i.test(name));
		return { trusted: isDownload ? "no" : "undecided" };
	});
}
