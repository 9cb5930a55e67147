/** The contributions of this application to extensions that were written for pi and omp. */
import { setApplication } from "@tau/compat";

import { loadDemo } from "@tau/bundled";

export function provideApplication(): void {
	setApplication({
		publicApi: () => import("../../index.ts"),
		async piExports() {
			const [{ RpcClient }, { CustomEditor }, { parseArgs }] = await Promise.all([
				import("@tau/server/rpc/client"),
				import("@tau/interactive/pi-editor"),
				import("../pi-args.ts"),
			]);
			return { RpcClient, CustomEditor, parseArgs };
		},
		fallbackModel: loadDemo,
	});
}
