/** The packages of pi and omp, as a value that the loader of extensions takes. */
import type { VirtualModules } from "@tau/extensions/support";

import { setModules } from "./application.ts";

/** Nothing of it is loaded before an extension needs it. */
export const virtualModules: VirtualModules = {
	async install() {
		const { installVirtualModules, mainExports } = await import("./install.ts");
		installVirtualModules();
		setModules(virtualModules);
		return mainExports();
	},
	async prepareForRequire(name) {
		const { prepareForRequire } = await import("./install.ts");
		return prepareForRequire(name);
	},
	async addUnknownImports(path) {
		const { addUnknownImports } = await import("./install.ts");
		return addUnknownImports(path);
	},
	async adopt(path, program) {
		const { adoptExtension } = await import("./adopt.ts");
		return adoptExtension(path, program);
	},
};
