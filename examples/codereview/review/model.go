package review

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Model is a chat-completions endpoint that reviews in place of the patterns.
type Model struct {
	URL  string // of the endpoint, up to and with /chat/completions
	Name string
	Key  string // may be empty
}

const instructions = `You review a code change. Answer with a JSON array alone, one object for each
fault that matters: {"file": "...", "line": 12, "rule": "short-name", "text": "one sentence"}.
Comment on added lines only. An empty array is a good answer.`

// maxAnswer bounds what is read of an answer.
const maxAnswer = 1 << 20

// Analyze asks the model, and says how many tokens that took, where its endpoint
// does: also for an answer that is not the JSON asked for, which is an error.
func (m Model) Analyze(ctx context.Context, diff string) (comments []Comment, tokens int64, err error) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	body, err := json.Marshal(map[string]any{
		"model":       m.Name,
		"temperature": 0,
		"messages":    []message{{"system", instructions}, {"user", diff}},
	})
	if err != nil {
		return nil, 0, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	if m.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.Key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, 0, fmt.Errorf("the model's endpoint answered %s", resp.Status)
	}
	var answer struct {
		Choices []struct {
			Message message `json:"message"`
		} `json:"choices"`
		Usage struct {
			Total int64 `json:"total_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(data, &answer); err != nil || len(answer.Choices) == 0 {
		return nil, 0, fmt.Errorf("the model's endpoint did not answer with a completion")
	}
	comments, err = parseFindings(answer.Choices[0].Message.Content)
	return comments, answer.Usage.Total, err
}

// parseFindings reads the array out of an answer, with or without a code fence.
func parseFindings(text string) ([]Comment, error) {
	start, end := strings.Index(text, "["), strings.LastIndex(text, "]")
	if start < 0 || end < start {
		return nil, fmt.Errorf("the model did not answer with a JSON array")
	}
	var found []Comment
	if err := json.Unmarshal([]byte(text[start:end+1]), &found); err != nil {
		return nil, fmt.Errorf("the model's JSON array does not parse: %w", err)
	}
	for i, c := range found {
		found[i] = NewComment(c.File, c.Line, c.Rule, c.Text)
	}
	return found, nil
}
