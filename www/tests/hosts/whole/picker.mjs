// In place of the module that the host's package lacks: see plugin.mjs.

import { Service } from "@deepseek-ai/cordis";

export class DirectoryPicker extends Service {
  constructor(ctx) {
    super(ctx, "directoryPicker");
  }
}

export class DirectoryPickerError extends Error {}

export default DirectoryPicker;
