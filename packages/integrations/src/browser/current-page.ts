/** The address that the browser is at: all that has to be known of it before its code is loaded. */
import type { ServiceKey } from "@tau/tools/tool";

export interface CurrentPage {
	/** Of a tab or, without its number, of the current one. */
	url(tab?: number): string | undefined;
	/** Whether a browser runs outside of Tau's sandbox: its loopback is that of the machine. */
	isOutside?(): boolean;
}

export const currentPage: ServiceKey<CurrentPage> = {
	name: "browser page",
	create: () => ({ url: () => undefined }),
};
