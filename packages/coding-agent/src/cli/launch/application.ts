/** The contributions of this application to extensions that were written for pi and omp. */
import { setApplication } from "@tau/compat";

import { loadDemo } from "../../demo/load-demo.ts";

export function provideApplication(): void {
	setApplication({
		publicApi: () => import("../../index.ts"),
		async piExports() {
			const [{ RpcClient }, { CustomEditor }, { parseArgs }] = await Promise.all([
				import("../../modes/rpc/client.ts"),
				import("../../modes/interactive/pi-editor.ts"),
				import("../pi-args.ts"),
			]);
			return { RpcClient, CustomEditor, parseArgs };
		},
		fallbackModel: loadDemo,
	});
}
