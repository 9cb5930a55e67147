/** The packages of pi and omp, as a value that the loader of extensions takes. */
import type { VirtualModules } from "@tau/extensions/support";

import { setModules } from "./application.ts";

/** Nothing of it is loaded before an extension needs it. */
export const virtualModules: VirtualModules = {
	async install() {
		const { installVirtualModules } = await import("./install.ts");
		installVirtualModules();
		setModules(virtualModules);
		const { forExtensions } = await import("./coding-agent.ts");
		return forExtensions();
	},
	async prepareForRequire(name) {
		const { prepareForRequire } = await import("./install.ts");
		return prepareForRequire(name);
	},
};
