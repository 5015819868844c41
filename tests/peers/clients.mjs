// The clients that judge, by the name of their row; each is loaded when it is asked for.

export const CLIENTS = {
  "ai-sdk 6": async () => (await import("./protocols/ai-sdk.mjs")).aiSdk(6),
  "ai-sdk 7": async () => (await import("./protocols/ai-sdk.mjs")).aiSdk(7),
  "ag-ui": async () => (await import("./protocols/ag-ui.mjs")).agUi(),
  "managed-agents": async () => (await import("./protocols/managed-agents.mjs")).managedAgents(),
  acp: async () => (await import("./protocols/acp.mjs")).acp(),
  a2a: async () => (await import("./protocols/a2a.mjs")).a2a(),
};
